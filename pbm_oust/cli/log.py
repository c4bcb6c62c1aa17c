"""The log of the server and of `deliver`: lines on standard error, without any address."""

import logging
from types import TracebackType

from pbm_oust.accounts.address import without_addresses
from pbm_oust.render.visible import visible_line, visible_text

_Raised = tuple[type[BaseException], BaseException, TracebackType | None] | tuple[None, None, None]

_INSTEAD = "(address)"


class LogFormatter(logging.Formatter):
    """Writes each entry as one line that steers no terminal and names no address.

    That is so whatever it quotes, such as the reasons of other mail servers.

    The lines of a traceback below it are indented, so that none of them passes for an entry.
    """

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802 - logging's own name
        """Return the line of an entry."""
        return visible_line(without_addresses(super().formatMessage(record), _INSTEAD))

    def formatException(self, ei: _Raised) -> str:  # noqa: N802 - logging's own name
        """Return the traceback of an error."""
        return _indented(super().formatException(ei))

    def formatStack(self, stack_info: str) -> str:  # noqa: N802 - logging's own name
        """Return where an entry was made."""
        return _indented(super().formatStack(stack_info))


def start_log() -> None:
    """Log to standard error. Libraries log only warnings, which hold no mail."""
    handler = logging.StreamHandler()
    handler.setFormatter(LogFormatter("%(asctime)s %(levelname)s %(message)s"))
    logging.basicConfig(handlers=[handler], level=logging.INFO)
    for library in ("mail.log", "mail.debug", "asyncio"):
        logging.getLogger(library).setLevel(logging.WARNING)


def _indented(text: str) -> str:
    shown = visible_text(without_addresses(text, _INSTEAD))
    return "\n".join(f"    {line}" for line in shown.split("\n"))
