"""A folder of mails, and what is read of each, as text beside it."""

from pathlib import Path

from pbm_oust.mail.inbound import automatic_by, doubtful_by, marked_by
from pbm_oust.mail.reading import Mail, UnreadableMail, read_mail

FOLDER = Path(__file__).parent
OWN_ADDRESS = "pbmserv@example.org"


def names() -> list[str]:
    return sorted(path.stem for path in FOLDER.glob("*.eml"))


def fate(mail: Mail, envelope_sender: str | None = None) -> str:
    """Return whether a mail is answered, and why it is not, or only with a proof."""
    if silence := automatic_by(mail, envelope_sender, OWN_ADDRESS):
        return f"not answered: {silence}"
    if doubt := doubtful_by(mail):
        return f"counts with a proof alone: {doubt}"
    mark = marked_by(mail)
    return f"answered if it is a command, or has a proof: {mark}" if mark else "answered"


def reading(data: bytes) -> str:
    """What is read of a mail, a line for each thing; the text stands indented at the end."""
    try:
        mail = read_mail(data)
    except UnreadableMail as error:
        return f"refused: {error}\n"
    lines = [
        f"from: {mail.sender}".rstrip(),
        *(f"subject: {subject}".rstrip() for subject in mail.subjects),
        *([] if mail.message_id else ["no Message-ID to answer to"]),
        *(each for each in [fate(mail)] if each != "answered"),
        *(["text: could not be read"] if mail.is_text_closed else []),
        *(f"  | {line}".rstrip() for line in mail.text.split("\n") if mail.text),
        *(f"  ? {line}".rstrip() for line in mail.unsure.strip("\n").split("\n") if mail.unsure),
    ]
    return "\n".join(lines) + "\n"
