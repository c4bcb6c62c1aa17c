"""What players settle about their mail, and how accounts keep it."""

from datetime import UTC, datetime

import pytest
from msgspec.structs import replace

from pbm_oust.accounts.account import Account, Setting
from pbm_oust.accounts.password import Secret, hash_password
from pbm_oust.accounts.settings import (
    NAMES,
    Settings,
    format_setting,
    read_settings,
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
    stored = settings_of(with_settings(ALICE, chosen))
    assert stored == chosen
    assert format_setting(stored, name) == value


@pytest.mark.parametrize(
    "row",
    [
        ("mail", "never"),
        ("tempo", "fast"),
        ("zone", "Mars/Base"),
        ("zone", "../../etc"),
        ("zone", "localtime"),
        ("zone", "right/Europe/Paris"),
        ("language", "tlh"),
        ("told", "zone Mars/Base"),
    ],
    ids=str,
)
def test_what_means_nothing_here_is_kept_and_the_usual_value_counts(row: tuple[str, str]) -> None:
    stored = read_settings((Setting(*row), Setting("mine", "off")))
    assert replace(stored, unknown=()) == with_setting(Settings(), "mine", "off")
    assert with_settings(ALICE, stored).settings == (Setting("mine", "off"), Setting(*row))


def test_a_zone_that_is_known_again_counts_again() -> None:
    assert str(read_settings((Setting("told", "zone Europe/Paris"),)).zone) == "Europe/Paris"


def test_usual_settings_are_not_written() -> None:
    changed = with_settings(ALICE, with_setting(Settings(), "mail", "digest"))
    assert changed.settings == (Setting("mail", "digest"),)
    assert with_settings(changed, Settings()) == ALICE
