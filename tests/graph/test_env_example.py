from pathlib import Path

from dotenv import dotenv_values

from skill_selector.graph.settings import ENVIRONMENT_NAMES, Settings, resolve_settings

EXAMPLE = Path(__file__).parents[2] / ".env.example"


def test_the_example_names_every_setting_with_its_default(tmp_path: Path) -> None:
    lines = EXAMPLE.read_text(encoding="utf-8").splitlines()
    uncommented = "\n".join(line.removeprefix("# ") if "=" in line else "" for line in lines)
    file = tmp_path / "example.env"
    file.write_text(uncommented, encoding="utf-8")
    assert set(dotenv_values(file)) == set(ENVIRONMENT_NAMES.values())
    assert resolve_settings(environ={}, dotenv=file) == Settings()
