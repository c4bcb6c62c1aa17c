"""The commands that pass a text on: chat and message. The text is that of the mail."""

from dataclasses import dataclass

from pbm_oust.commands.grammar import Form, Rest
from pbm_oust.commands.values import BOARD, PASSWORD, USERID, read_userids
from pbm_oust.players import Secret
from pbm_oust.replying import Credential
from pbm_oust.rules.position import Kind


@dataclass(frozen=True, slots=True)
class Chat:
    """Pass the text of the mail on to the other player of a board."""

    kind: Kind
    board: int
    userid: str
    password: Credential


@dataclass(frozen=True, slots=True)
class Message:
    """Pass the text of the mail on to these players."""

    userid: str
    password: Secret
    to: tuple[str, ...]


FORMS = (
    Form("chat", Chat, (BOARD, USERID, PASSWORD)),
    Form(
        "message",
        Message,
        (USERID, PASSWORD),
        Rest(("USERID..",), read_userids),
        is_of_kind=False,
    ),
)
