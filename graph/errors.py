"""The exceptions that reach a caller. Each message names the thing at fault and the way out.

Each is also of a built-in kind: servers of graphs show the messages of those, and hide all others from their users.
"""


class SkillSelectorError(Exception):
    """Base of everything that this package raises on purpose."""


class TaskError(SkillSelectorError, ValueError):
    """There is no task to select for."""


class SettingError(SkillSelectorError, ValueError):
    """A setting, an argument or a word-list file has a value that cannot be used."""


class SkillDirectoryError(SkillSelectorError, ValueError):
    """A skills folder is missing, is not a folder, or cannot be read."""


class SkillAccessError(SkillSelectorError, ValueError):
    """A skill or one of its files cannot be handed out: unknown, outside the skill's folder, not text, or gone."""


class ModelSetupError(SkillSelectorError, RuntimeError):
    """The chat model cannot work as it is set up: no or wrong key, unknown model, refused request.

    Never answered by a fallback: it would hide a mistake that only the caller can correct.
    """


class ModelUnavailableError(SkillSelectorError, RuntimeError):
    """The chat model did not answer usably this time: time-out, overload, server error, unreadable reply."""


class EmbedderError(SkillSelectorError, RuntimeError):
    """The embedder cannot work: no key, a failed request, or an answer that is no vectors."""


class FeedbackError(SkillSelectorError, RuntimeError):
    """The counts of what was injected and judged cannot be read or kept, or what was passed in is none."""


class TaskFileError(SkillSelectorError, ValueError):
    """A file of labelled tasks cannot be used; the message names every fault with its line."""


class EvaluationError(SkillSelectorError, RuntimeError):
    """An evaluation cannot go on, or what came of it cannot be written."""


class DefinitionError(SkillSelectorError, ValueError):
    """A skill definition is missing or cannot be used; the message names every fault."""


class ParameterError(SkillSelectorError, ValueError):
    """Parameters do not fit a skill's input schema; the message names every fault with its path."""


class KnowledgeError(SkillSelectorError, ValueError):
    """A knowledge folder is missing, is not a folder or cannot be read."""


class ReasonerError(SkillSelectorError, ValueError):
    """A reasoner passed in by the caller returned something that cannot be used."""


class RetrieverError(SkillSelectorError, ValueError):
    """A retriever or matcher passed in by the caller returned something that cannot be used."""


class ToolPermissionError(SkillSelectorError, PermissionError):
    """A tool may not be used by this caller, or not while these skills are active; the message names the rule."""


class ToolExecutionError(SkillSelectorError, RuntimeError):
    """A tool could not be run, or failed; the message says which and why."""


class ExecutionLogError(SkillSelectorError, RuntimeError):
    """The log of executions cannot be read or written."""
