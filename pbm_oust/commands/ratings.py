"""The commands about ratings: standings and ratings."""

from dataclasses import dataclass

from pbm_oust.commands.grammar import Form, Rest
from pbm_oust.commands.values import read_userids
from pbm_oust.rules.position import Kind


@dataclass(frozen=True, slots=True)
class Standings:
    """List the players of a game by their ratings."""

    kind: Kind


@dataclass(frozen=True, slots=True)
class Ratings:
    """Show how the ratings of these players came about, or list all ratings."""

    kind: Kind
    userids: tuple[str, ...]


FORMS = (
    Form("standings", Standings),
    Form("ratings", Ratings, rest=Rest(("[USERID..]",), read_userids, least=0)),
)
