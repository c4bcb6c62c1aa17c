"""The registry of games: one line here makes a game known to the server."""

from pbm_oust.rules import churn, oust
from pbm_oust.rules.position import Kind

KINDS: dict[str, Kind] = {kind.name: kind for kind in (oust.KIND, churn.KIND)}
