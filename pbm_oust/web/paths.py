"""What stands in a path for a game, a board and a record, in exactly one way."""

from starlette.convertors import Convertor, register_url_convertor

from pbm_oust.rules.kinds import KINDS
from pbm_oust.rules.position import Kind


class KindConvertor(Convertor[Kind]):
    """The name of a game."""

    regex = "|".join(KINDS)

    def convert(self, value: str) -> Kind:
        """Return the game with a name."""
        return KINDS[value]

    def to_string(self, value: Kind) -> str:
        """Return the name of a game."""
        return value.name


class NumberConvertor(Convertor[int]):
    """A number of at most nine digits, without leading zeros."""

    regex = "0|[1-9][0-9]{0,8}"

    def convert(self, value: str) -> int:
        """Return the number."""
        return int(value)

    def to_string(self, value: int) -> str:
        """Return the digits."""
        return str(value)


def register() -> None:
    """Let paths of routes say `{kind:kind}` and `{board:number}`."""
    register_url_convertor("kind", KindConvertor())
    register_url_convertor("number", NumberConvertor())
