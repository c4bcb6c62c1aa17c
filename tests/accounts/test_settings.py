"""What players settle about their mail, and how accounts keep it."""

from datetime import UTC, datetime

import pytest

from pbm_oust.accounts.account import Account, BadAccount, format_account, parse_account
from pbm_oust.accounts.password import Secret, hash_password
from pbm_oust.accounts.settings import (
    NAMES,
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


def test_an_account_without_lines_has_the_usual_settings() -> None:
    assert settings_of(ALICE) == Settings()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *((name, value) for name in NAMES for value in values_of(name)),
        ("zone", "Europe/Paris"),
    ],
)
def test_a_setting_comes_back_from_the_file(name: str, value: str) -> None:
    chosen = with_setting(Settings(), name, value)
    stored = parse_account(format_account(with_settings(ALICE, chosen)))
    assert settings_of(stored) == chosen
    assert format_setting(settings_of(stored), name) == value


def test_usual_settings_are_not_written() -> None:
    changed = with_settings(ALICE, with_setting(Settings(), "mail", "digest"))
    assert changed.values("Setting") == ("mail digest",)
    assert with_settings(changed, Settings()) == ALICE


@pytest.mark.parametrize("line", ["mail never", "tempo fast", "zone Mars/Base", "zone ../../etc"])
def test_a_setting_that_is_none_makes_the_account_damaged(line: str) -> None:
    with pytest.raises(BadAccount, match=line.split(" ")[0]):
        settings_of(ALICE.with_values("Setting", [line]))


def test_lines_of_other_keys_stay_in_their_order() -> None:
    text = format_account(ALICE) + "Later: one\nSetting: mail mine\nLater: two\n"
    account = parse_account(text)
    assert account.values("Later") == ("one", "two")
    assert format_account(account) == text
