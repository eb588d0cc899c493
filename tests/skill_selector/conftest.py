import pytest

from skill_selector import progress


@pytest.fixture(autouse=True)
def _no_lines_of_slow_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Progress is shown where something takes long, which tests of other things must not depend on."""
    monkeypatch.setattr(progress, "PATIENCE", 3600.0)
