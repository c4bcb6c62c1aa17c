"""A short siege."""

from pathlib import Path

from pbm_oust.store.limits import USUAL_LIMITS, Counted
from tests.siege.running import Plan, conduct


def test_honest_players_lose_nothing_while_others_attack(tmp_path: Path) -> None:
    plan = Plan(mails=300, tables=3, pace=1.0, calm=5.0)
    outcome = conduct(plan, tmp_path, print)
    assert outcome.is_right, outcome.report()
    assert sum(outcome.replies.values()) == plan.mails
    assert outcome.attacked.seconds
    assert outcome.letters_to_victims <= USUAL_LIMITS.most(Counted.ALL_CODES)
