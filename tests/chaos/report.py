"""The report of a trial: a table of figures, and what was found wrong."""

from collections import Counter
from collections.abc import Iterator

from tests.chaos.clients import Answer, Way
from tests.chaos.ledger import Failure, Kind, Ledger
from tests.chaos.running import Ending

KILLS_OF_THE_SERVER = (
    "kills while serving",
    "kills during start",
    "kills of the sender",
)
POWER = ("power cuts", "steps undone")
FAILURES = tuple(failure.value for failure in Failure)
"""What happens where there are several hosts."""
MOST_SHOWN = 5
"""How many findings are shown under each heading."""


def report(outcome: Ending) -> str:
    """Return the report."""
    return "\n".join([*_figures(outcome), *_findings(outcome)])


def progress_line(ledger: Ledger) -> str:
    """Return how far a trial is, in a line. Kills are those of the server."""
    kills = sum(ledger.counts[what] for what in KILLS_OF_THE_SERVER)
    failures = sum(ledger.counts[what] for what in FAILURES[:-1])
    done = f"{failures} failures" if failures else f"{kills} kills"
    return f"{ledger.acknowledged} of {ledger.wanted + 1} mails, {done}"


def _figures(outcome: Ending) -> Iterator[str]:
    plan, counts = outcome.plan, outcome.ledger.counts
    acknowledged = Counter(mail.kind for mail in outcome.ledger.mails if mail.acknowledged)
    ways = [way for way in Way if way is not Way.TWICE or plan.hosts > 1]
    figures = {
        "mails acknowledged": acknowledged.total(),
        **{f"  {kind.value}": acknowledged[kind] for kind in Kind},
        "tries that were not answered": counts[Answer.GONE.value],
        "tries that were answered 451": counts[Answer.PUT_OFF.value],
        "duplicates sent": sum(counts[way.value] for way in Way),
        **{f"  {way.value}": counts[way.value] for way in ways},
        **{what: counts[what] for what in (FAILURES if plan.hosts > 1 else KILLS_OF_THE_SERVER)},
        "kills of deliver": counts["kills of deliver"],
        **{what: counts[what] for what in POWER if plan.power},
        "games finished": counts["games finished"],
        "boards given up": counts["boards given up"],
        **{what: len(found) for what, found in outcome.verdict.findings().items()},
        "seconds": round(outcome.seconds),
    }
    power = "power cuts" if plan.power else "no power cuts"
    spared = f" of {plan.spared}" if plan.spared else ""
    several = f"{plan.hosts} hosts"
    what = several if plan.hosts > 1 else f"build {plan.build.value}{spared}"
    yield f"{what}, seed {plan.seed}, {power}"
    yield from (f"{what:<44}{count:>8,}" for what, count in figures.items())


def _findings(outcome: Ending) -> Iterator[str]:
    for what, found in outcome.verdict.findings().items():
        yield from (f"{what}: {each}" for each in found[:MOST_SHOWN])
        if len(found) > MOST_SHOWN:
            yield f"{what}: {len(found) - MOST_SHOWN} more"
    if outcome.fault:
        yield f"not carried through: {outcome.fault}"
    yield "all is as it has to be" if outcome.is_right else "something is wrong"
