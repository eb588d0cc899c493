"""Agents under test: a real `create_agent` whose model follows a script."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.messages import AIMessage, AnyMessage, BaseMessage
from langchain_core.tools import BaseTool, tool
from pydantic import PrivateAttr

from skill_selector.agent.middleware import SkillsMiddleware
from skill_selector.testing import Script, ScriptedChatModel


class AgentModel(ScriptedChatModel):
    """A scripted model that notes the tools that it is given."""

    def __init__(self, script: Script) -> None:
        super().__init__(script)

    _tools: list[list[str]] = PrivateAttr(default_factory=list)
    _definitions: list[Any] = PrivateAttr(default_factory=list)

    def bind_tools(self, tools: Sequence[Any], **_: Any) -> Any:
        self._tools.append([one["function"]["name"] if isinstance(one, dict) else one.name for one in tools])
        self._definitions = list(tools)
        return self

    @property
    def seen_tools(self) -> list[list[str]]:
        return self._tools

    @property
    def definitions(self) -> list[Any]:
        return self._definitions


def calling(name: str, call: str = "c1", **args: Any) -> AIMessage:
    return AIMessage("", tool_calls=[{"name": name, "args": args, "id": call}])


def write_skill(root: Path, name: str, description: str, body: str = "Do it well.", **more: str) -> None:
    folder = root / name
    folder.mkdir(parents=True, exist_ok=True)
    extra = "".join(f"{key.replace('_', '-')}: {value}\n" for key, value in more.items())
    text = f"---\nname: {name}\ndescription: {description}\n{extra}---\n\n{body}\n"
    (folder / "SKILL.md").write_text(text, encoding="utf-8")


@tool
def run_command(command: str) -> str:
    """Run a command."""
    return f"ran {command}"


@tool
def read_file(path: str) -> str:
    """Read a file."""
    return f"text of {path}"


@tool
def send_mail(to: str) -> str:
    """Send mail."""
    return f"sent to {to}"


TOOLS: list[BaseTool] = [run_command, read_file, send_mail]
Run = Callable[..., dict[str, Any]]


def an_agent(
    model: AgentModel,
    middleware: SkillsMiddleware[Any, Any],
    tools: Sequence[BaseTool] = TOOLS,
    before: Sequence[Any] = (),
    **more: Any,
) -> Any:
    return create_agent(model, tools=list(tools), middleware=[*before, middleware], **more)


def texts(messages: Sequence[BaseMessage | AnyMessage]) -> str:
    return "\n".join(str(one.content) for one in messages)
