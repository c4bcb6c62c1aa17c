"""What waits for a code: its text and back, and the codes themselves."""

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.accounts.account import MOST_KEPT, Account, Proof
from pbm_oust.accounts.password import Secret, hash_password
from pbm_oust.accounts.tags import (
    CODE,
    CODE_LIFETIME,
    Pending,
    Purpose,
    code_for,
    name_of,
    salt_for,
)
from pbm_oust.store.home import Home
from pbm_oust.store.verifications import keep_verification

NOW = datetime(2026, 11, 20, 15, 36, tzinfo=UTC)
KEY = b"k" * 32
STORED = hash_password(Secret("wonderland"), b"s" * 16)
PENDING = Pending(Purpose.SIGNUP, "alice", "alice@example.org", NOW, "0" * 16, STORED)
ACCOUNT = Account("alice", STORED, ("alice@example.org",), NOW)

keys = st.text("0123456789abcdef", min_size=16, max_size=16)
pendings = st.builds(
    lambda purpose, userid, local, seconds, key: Pending(
        purpose,
        userid,
        f"{local}@example.org",
        NOW + timedelta(seconds=seconds),
        key,
        STORED if purpose is Purpose.SIGNUP else "",
    ),
    st.sampled_from(Purpose),
    st.from_regex(r"[a-z][a-z0-9_-]{0,19}", fullmatch=True),
    st.from_regex(r"[A-Za-z0-9_+ü-]{1,20}", fullmatch=True),
    st.integers(0, 10**8),
    keys,
)


@given(pendings)
def test_a_code_is_the_same_for_the_same_request_and_can_be_read(pending: Pending) -> None:
    assert CODE.fullmatch(code_for(KEY, pending))
    later = Pending(
        pending.purpose,
        pending.userid,
        pending.address.upper(),
        NOW + CODE_LIFETIME,
        pending.message_key,
        pending.password,
    )
    assert code_for(KEY, later) == code_for(KEY, pending)


@pytest.mark.parametrize(
    "other",
    [
        Pending(Purpose.ADD, "alice", "alice@example.org", NOW, "0" * 16),
        Pending(Purpose.SIGNUP, "bob", "alice@example.org", NOW, "0" * 16, STORED),
        Pending(Purpose.SIGNUP, "alice", "bob@example.org", NOW, "0" * 16, STORED),
        Pending(Purpose.SIGNUP, "alice", "alice@example.org", NOW, "1" * 16, STORED),
    ],
)
def test_another_request_has_another_code(other: Pending) -> None:
    assert code_for(KEY, other) != code_for(KEY, PENDING)


def test_another_home_has_other_codes_and_other_salts() -> None:
    assert code_for(b"l" * 32, PENDING) != code_for(KEY, PENDING)
    assert salt_for(b"l" * 32, "alice") != salt_for(KEY, "alice")


def test_a_code_stands_in_no_file(home: Home) -> None:
    code = code_for(KEY, PENDING)
    home.do(keep_verification, name_of(Secret(code)), PENDING)
    for path in home.path.glob("pbm_oust.db*"):
        assert code.encode() not in path.read_bytes()
        assert path.stat().st_mode & 0o077 == 0


# What accounts keep


def test_an_account_keeps_its_latest_proofs() -> None:
    account = ACCOUNT
    proofs = [Proof(f"{number:016x}", "0" * 16) for number in range(MOST_KEPT + 1)]
    for proof in proofs:
        account = account.with_proof(proof)
    assert account.verified == tuple(proofs[1:])
