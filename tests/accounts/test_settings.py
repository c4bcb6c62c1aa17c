"""What players settle about their mail, and how accounts keep it."""

from datetime import UTC, datetime

import pytest

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.password import Secret, hash_password
from pbm_oust.accounts.settings import (
    NAMES,
    SETTINGS,
    Settings,
    format_setting,
    settings_of,
    values_of,
    with_setting,
    with_settings,
)

ALICE = Account(
    "alice",
    hash_password(Secret("wonderland")),
    ("alice@example.org",),
    datetime(2026, 11, 20, tzinfo=UTC),
)


def test_an_account_that_keeps_nothing_has_the_usual_settings() -> None:
    assert settings_of(ALICE) == Settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, value) for name in NAMES for value in values_of(name)),
        ("zone", "Europe/Paris"),
    ],
)
def test_a_setting_comes_back_from_its_rows(name: str, value: str) -> None:
    chosen = with_setting(Settings(), name, value)
    stored = SETTINGS.read(SETTINGS.rows_of(with_settings(ALICE, chosen)))
    assert stored == chosen
    assert format_setting(stored, name) == value


def test_usual_settings_are_not_written() -> None:
    changed = with_settings(ALICE, with_setting(Settings(), "mail", "digest"))
    assert SETTINGS.rows_of(changed) == [("mail", "digest")]
    assert with_settings(changed, Settings()) == ALICE
