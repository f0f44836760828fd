"""What tests of verdicts share: a diagnosis has the time that it needs on a busy machine."""

from __future__ import annotations

import pytest

from symvi.verify.derivatives import diagnosis


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which errors are explained is tested, not how quickly: a search ends by the clock of its processor."""
    monkeypatch.setattr(diagnosis, "PATIENCE", {order: 4 * seconds for order, seconds in diagnosis.PATIENCE.items()})
