"""Mails as the store sees them: a message key and a letter, written together and once."""

from pbm_oust.store.database import Database, Transaction

LETTER = b"x" * 12_000


def take(database: Database, key: str, *, lasts: bool = True) -> bool:
    """Take a mail: write its message key and a letter, once. Returns whether it was known."""

    def work(transaction: Transaction) -> bool:
        known = "SELECT 1 FROM message_keys WHERE message_key = ?"
        if transaction.row(known, key):
            return True
        transaction.run("INSERT INTO message_keys VALUES (?, 'done', 0)", key)
        transaction.run(
            "INSERT INTO letters (recipient, normal, copies, is_answer, may_show_any_board,"
            " message_id, subject, posted, state, next_try, content)"
            " VALUES (?, '', 1, 0, 0, '', '', 0, 'waiting', 0, ?)",
            key,
            LETTER,
        )
        return False

    return database.write(work, lasts=lasts)


def taken(database: Database) -> list[str]:
    """Return the keys of the mails that were taken, each with its letter, and none twice.

    The file is sound.
    """
    with database.read() as snapshot:
        assert snapshot.rows("PRAGMA integrity_check") == [("ok",)]
        keys = snapshot.rows("SELECT message_key FROM message_keys ORDER BY 1")
        letters = snapshot.rows(
            "SELECT recipient FROM letters WHERE content = ? ORDER BY 1", LETTER
        )
    assert keys == letters
    return [key for (key,) in keys]
