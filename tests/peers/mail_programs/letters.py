"""What players write in the tests, and what has to be read of it."""

from pbm_oust.mail.reading import Mail
from tests.peers.mail_programs.desk import ALICE, BOARD_SUBJECT

COMMAND = "oust chat 17 alice wonderland"
GREETING = "Good luck, Bob!\nYou will need it.\n"
TEXTS = {
    "plain": GREETING,
    "umlauts": "Sch\u00f6ne Gr\u00fc\u00dfe aus K\u00f6ln!\n",
    "Japanese": "\u5bfe\u5c40\u3042\u308a\u304c\u3068\u3046\u3054\u3056\u3044\u307e\u3059\u3002\n",
    "Russian": "\u0423\u0434\u0430\u0447\u0438, \u0411\u043e\u0431!\n",
    "long lines": "This is a long line, and it goes on and on and on until it ends here. " * 12
    + "\n",
}
SIGNATURE = "Alice Liddell\nhttps://example.org/alice\n"
PICTURE = b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4
PAGE = "<html><body><p>Good luck, Bob!<br>You will need it.</p></body></html>\n"


def assert_read(mail: Mail, text: str, subject: str = COMMAND) -> None:
    assert mail.subjects == (subject,)
    assert mail.text == text.strip()
    assert mail.sender == ALICE


def assert_reply(mail: Mail, text: str = GREETING, *, is_sure: bool = True) -> None:
    """Check an answer: `is_sure` if it is certain that none of its text is quoted."""
    assert_read(mail, text if is_sure else "", BOARD_SUBJECT)
    assert mail.unsure == ("" if is_sure else text.strip())
