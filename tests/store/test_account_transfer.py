"""Accounts that are taken from one home to another."""

from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from pbm_oust.store.accounts import (
    all_userids,
    export_accounts,
    import_accounts,
    parse_accounts,
    read_account,
    write_account,
)
from pbm_oust.store.database import Database, Transaction
from tests.support.account_store import ALICE, BOB, CAROL, read, seek, tried, write
from tests.support.kept import accounts
from tests.support.rings import examples

a_few = examples(50)


@a_few
@given(st.data())
def test_exported_accounts_come_back_in_another_home(shared: Database, data: st.DataObject) -> None:
    some = data.draw(st.lists(accounts(), max_size=4, unique_by=lambda each: each.userid))
    seen: set[tuple[str, int]] = set()
    for number, account in enumerate(some):
        seeks = [each for each in account.seeks if (each.kind, each.number) not in seen]
        seen.update((each.kind, each.number) for each in seeks)
        some[number] = replace(account, seeks=tuple(seeks))
    lines: list[str] = []

    def export(transaction: Transaction) -> None:
        for account in some:
            write_account(transaction, account)
        lines.extend(export_accounts(transaction)[0])

    def import_(transaction: Transaction) -> None:
        import_accounts(transaction, parse_accounts(lines))
        assert export_accounts(transaction) == (lines, [])
        found = [read_account(transaction, each) for each in all_userids(transaction)]
        assert found == sorted(some, key=lambda account: account.userid)

    tried(shared, export)
    tried(shared, import_)


def test_open_challenges_from_elsewhere_get_numbers_that_were_never_given_here(
    database: Database,
) -> None:
    write(database, replace(BOB, seeks=(seek(3),)))
    write(database, BOB)
    coming = [
        replace(ALICE, seeks=(seek(2), seek(5))),
        replace(CAROL, seeks=(seek(1), seek(1, "churn"))),
    ]
    database.write(lambda transaction: import_accounts(transaction, coming))
    assert [each.number for each in read(database, "alice").seeks] == [6, 5]
    assert [each.number for each in read(database, "carol").seeks] == [7, 1]
