"""What all tests of the doctor share."""

from datetime import UTC, datetime

import pytest

from pbm_oust.doctor import home


@pytest.fixture(autouse=True)
def _new_zones(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the time zones be of this year: the doctor says when they are old, and tests grow old."""
    monkeypatch.setattr(home, "IANA_VERSION", f"{datetime.now(UTC).year}a")
