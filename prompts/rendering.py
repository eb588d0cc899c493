"""Prompt texts, read from the package and filled in."""

from functools import cache
from importlib.resources import files
from string import Template


class PromptError(ValueError):
    """A prompt text and the values for it do not belong together."""


class _Prompt(Template):
    """Only `${name}` is a variable: prices and shell variables stay what they are."""

    pattern = r"(?P<escaped>(?!))|(?P<named>(?!))|\$\{(?P<braced>[a-z_]+)\}|(?P<invalid>(?!))"  # type: ignore[assignment]


def render(name: str, **values: str) -> str:
    """Return the prompt text `name` with its variables filled in.

    Every value goes in as it is, once: what looks like a variable inside a value stays text.

    Raises:
        PromptError: a variable of the text has no value, or a value has no variable.
    """
    prompt = _load(name)
    wanted = set(prompt.get_identifiers())
    faults = [f"no value for {one}" for one in sorted(wanted - values.keys())]
    faults += [f"no variable {one}" for one in sorted(values.keys() - wanted)]
    if faults:
        raise PromptError(f"prompt {name!r}: {', '.join(faults)}")
    return prompt.substitute(values)


def load_all() -> None:
    """Read every prompt text now, so that no event loop waits for the disk later."""
    for file in files(__package__).iterdir():
        if file.name.endswith(".md"):
            _load(file.name.removesuffix(".md"))


@cache
def _load(name: str) -> _Prompt:
    return _Prompt((files(__package__) / f"{name}.md").read_text(encoding="utf-8").strip())
