"""A release engineer's agent that uses the example skills.

    python examples/agent.py "Cut a release and tag it"

With DASHSCOPE_API_KEY set, a model answers for real; without a key a scripted one shows what an agent gets to see. The
graph is also the second one of `langgraph.json`: `langgraph dev` opens both in Studio. Nothing here runs a command.
"""

import sys
from pathlib import Path
from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.tools import tool

from skill_selector import SkillsMiddleware
from skill_selector.agent.policy import ToolPolicy
from skill_selector.graph.settings import resolve_settings
from skill_selector.reasoners.model import make_model
from skill_selector.testing import ScriptedChatModel

SKILLS = Path(__file__).parent / "skills"


@tool("Bash")
def bash(command: str) -> str:
    """Run a command in the project's folder."""
    return f"(dry run) {command}"


@tool("Read")
def read(file_path: str) -> str:
    """Read a file of the project."""
    return f"(dry run) the text of {file_path}"


@tool
def send_mail(to: str, subject: str) -> str:
    """Send a mail to somebody."""
    return f"(dry run) mail to {to}: {subject}"


send_mail.metadata = {"dangerous": True}


def answer(messages: list[BaseMessage]) -> AIMessage:
    """Say what the agent was shown, in place of a model."""
    shown = [str(one.content).partition(">")[0] for one in messages if "lc_source" in one.additional_kwargs]
    return AIMessage(f"I was shown {' and '.join(f'{one}>' for one in shown) or 'no skill'}.")


def model() -> BaseChatModel:
    """Return the model of the settings, or the scripted one where there is no key."""
    settings = resolve_settings()
    return make_model(settings) if settings.dashscope_api_key else ScriptedChatModel(answer)


graph = create_agent(
    model(),
    tools=[bash, read, send_mail],
    system_prompt="You help with releases. Answer in the user's language.",
    middleware=[SkillsMiddleware(SKILLS, tool_policy=ToolPolicy(disabled_tools=("rm_*",)))],
)


def main() -> None:
    """Answer one message and show what was decided."""
    task = " ".join(sys.argv[1:]) or "把三个 PDF 合并成一个文件"
    state: dict[str, Any] = graph.invoke({"messages": [("user", task)]})
    for one in state["active_skills"]:
        print(f"skill: {one['id']} ({one['score']}): {one['why']}")
    print(f"selection: {state['skill_selection']['outcome']}, {state['skill_selection']['reason']}")
    print(f"answer: {state['messages'][-1].text}")


if __name__ == "__main__":
    main()
