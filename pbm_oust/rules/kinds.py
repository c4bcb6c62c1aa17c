"""The registry of games: a game is known to the server by one line here."""

from pbm_oust.rules import churn, oust
from pbm_oust.rules.position import Kind

KINDS: dict[str, Kind] = {kind.name: kind for kind in (oust.KIND, churn.KIND)}
