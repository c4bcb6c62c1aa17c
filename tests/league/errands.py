"""What the players do besides playing, so that every command is used; and on which day."""

import re
from collections.abc import Callable
from datetime import timedelta

from pbm_oust.commands.tournament import LEAST_FINISHED
from pbm_oust.mail.inbound import open_inbound
from pbm_oust.play.tournaments import open_cup
from pbm_oust.service.table import FORMS
from pbm_oust.store.index import count_finished
from pbm_oust.store.tournaments import going_on_of
from pbm_oust.tournaments.cup import Cup
from tests.league.players import Player
from tests.league.post import ADDRESS
from tests.league.season import Plan, Season, offered_number
from tests.support.letters import text_of

Errand = Callable[[Season], None]


def _look_around(season: Season) -> None:
    """Ask for everything that can be looked at."""
    alice = season.players["alice"]
    subjects = (
        "help, help tutorial, list, all show alice, oust games, oust games alice all, "
        "oust show alice next, oust history, oust standings, oust ratings alice"
    )
    for subject in subjects.split(", "):
        alice.ask(subject)
    alice.signed("oust showas", "all")
    alice.signed("next")


def _talk(season: Season) -> None:
    """Write to one player, to the other player of a board, and to everybody; watch a board."""
    alice, bob, carol = (season.players[name] for name in ("alice", "bob", "carol"))
    alice.signed("message", "bob", "Hello Bob.")
    game = season.begin(alice, bob, "oust", "-size=7")
    alice.signed("chat", text="Good luck.", board=game)
    alice.signed("note", text="Watch the corner.", board=game)
    alice.ask(f"{game.header.kind.name} sgf {game.header.board}")
    alice.ask("oust puzzle 1")
    carol.signed("watch", board=game)
    alice.signed("broadcast", text="The league has begun.")
    bob.signed("settings", "broadcasts off")


def _unwatch(season: Season) -> None:
    """Watch a board for a moment."""
    alice, bob, carol = (season.players[name] for name in ("alice", "bob", "carol"))
    game = season.begin(alice, bob, "churn", "-size=3 -unrated")
    carol.signed("watch", board=game)
    carol.signed("unwatch", board=game)


def _decline(season: Season) -> None:
    """Be challenged, and not want to play."""
    dinah, edgar = season.players["dinah"], season.players["edgar"]
    edgar.signed("decline", board=season.begin(dinah, edgar, "oust", "-hex"))


def _hold_a_cup(season: Season) -> None:
    """Enter a cup and leave it; it begins on the next day."""
    now, work = (
        season.world.clock.now(),
        open_inbound(season.world.home, ADDRESS, season.world.clock.now).work,
    )
    cup = Cup(
        kind="oust",
        number=1,
        title="Spring cup",
        grid_name="square 5x5",
        terms_words="swap rated nagtime=7 forfeittime=21",
        size=5,
        starts=now + timedelta(days=1),
    )
    work.change(lambda on: open_cup(on, cup))
    for name in ("alice", "bob", "carol", "dinah"):
        season.players[name].signed("oust enter 1")
    season.players["dinah"].signed("oust withdraw 1")
    season.players["alice"].ask("tournaments oust")
    season.players["alice"].ask("oust table 1")


def _organise(season: Season) -> None:
    """Have enough games behind oneself, announce a cup, and call it off."""
    alice, bob, home = season.players["alice"], season.players["bob"], season.world.home
    over = home.ask(count_finished, "alice", LEAST_FINISHED)
    for _ in range(LEAST_FINISHED - over):
        alice.signed("resign", board=season.begin(alice, bob, "oust", "-size=5"))
    alice.signed("oust cup announce")
    cup = home.ask(going_on_of, "alice")
    assert cup
    alice.signed(f"oust cup cancel {cup.number}")


def _climb(season: Season) -> None:
    """Join a ladder, challenge whoever stands above, and leave it."""
    for name in ("alice", "bob", "carol"):
        season.players[name].signed("oust ladder join")
    season.players["bob"].signed("oust ladder challenge", "alice")
    season.players["carol"].signed("oust ladder leave")
    season.players["alice"].ask("oust ladder")


def _settle(season: Season) -> None:
    """Give players habits of their own."""
    season.players["bob"].signed("settings", "mail digest zone Europe/Paris")
    season.players["carol"].signed("settings", "mail mine")
    season.players["dinah"].signed("settings", "autopass on")
    edgar, lory = season.players["edgar"], season.players["lory"]
    edgar.signed("limit", "30")
    edgar.signed("reject", "lory jabber")
    sent = lory.send(f"oust challenge lory edgar {lory.password}")
    assert season.world.post.answer_to(lory.address, sent)["X-Pbm-Oust"] == "refusal"
    edgar.signed("unreject", "lory jabber")


def _change_accounts(season: Season) -> None:
    """Add an address, change address and password, and forget the password."""
    fiona = season.players["fiona"]
    fiona.signed("add", "fiona@second.example")
    _prove(season, "fiona@second.example")
    fiona.ask(f"change password fiona {fiona.password} Pw-fiona-other")
    fiona.password = "Pw-fiona-other"
    fiona.signed("change address", "fiona@third.example")
    fiona.address = "fiona@third.example"
    _prove(season, fiona.address)
    george = season.players["george"]
    george.ask("forgot george")
    season.world.post.settle()
    code = season.world.post.boxes[george.address][-1]
    george.password = "Pw-george-other"
    george.answer(code, f"password {george.password}")


def _prove(season: Season, address: str) -> None:
    """Send the line of the mail with a code that came last for an address, from there."""
    season.world.post.settle()
    code = season.world.post.boxes[address][-1]
    (line,) = re.findall(r"^  (\w+ [a-z2-7]{16})\s*$", text_of(code), re.MULTILINE)
    Player("", "", address, season.world).ask(line)


def _go_on_vacation(season: Season) -> None:
    hatter = season.players["hatter"]
    first = season.world.clock.now().date() + timedelta(days=2)
    hatter.signed("vacation", f"{first} 14")
    hatter.diligence = 0.0


def _come_back(season: Season) -> None:
    season.players["hatter"].diligence = 0.9


def _replay(season: Season) -> None:
    """Ask what turned a game that is over, and begin a board from its middle."""
    ivy = season.players["ivy"]
    over = [game for game in season.world.games() if game.result and len(game.line) > 4]
    game = over[0]
    ivy.signed("analyse", board=game)
    line = f"{game.header.kind.name} replay {game.header.board} 3 ivy king"
    ivy.ask(line)


def _play_again(season: Season) -> None:
    """Begin the next game after one that is over, with each command that does so."""
    dinah, edgar = season.players["dinah"], season.players["edgar"]
    for form in FORMS:
        if form.plays_again:
            game = season.begin(dinah, edgar, "oust", "-size=5")
            edgar.signed("resign", board=game)
            edgar.signed(form.name, board=game)


def _withdraw_an_offer(season: Season) -> None:
    king = season.players["king"]
    offered = king.ask(f"oust seek king {king.password} -size=7")
    king.ask(f"oust unseek {offered_number(offered)} king {king.password}")


def _invite(season: Season) -> None:
    """Invite somebody who has no account, and think better of it."""
    for command in ("invite", "uninvite"):
        season.players["alice"].signed(command, "nora@letter.example")


def _begin_by_letter(season: Season) -> None:
    """Send no command, answer the letter that comes, choose a name, say something, and resign."""
    mabel = Player("", "", "mabel@letter.example", season.world)
    first = mabel.ask("Is this where one plays?")
    board = mabel.ask("begin with alice", to=str(first["Reply-To"]))
    mabel.ask("call me marian", to=str(board["Reply-To"]))
    sent = mabel.send("Re: my turn", "What a lovely empty board!", to=str(board["Reply-To"]))
    unclear = season.world.post.answer_to(mabel.address, sent)
    mabel.ask("send", to=str(unclear["Reply-To"]))
    mabel.answer(board, "resign")


def _go_silent(season: Season) -> None:
    """Never write again: boards that have been played on are lost in time, others never begun."""
    jabber, king, fiona = (season.players[name] for name in ("jabber", "king", "fiona"))
    game = season.begin(jabber, king, "oust", "-size=9")
    jabber.signed("move", "D4", board=game)
    king.signed("move", "F6", board=game)
    king.signed("why", board=game)
    season.begin(jabber, fiona, "churn", "-size=3 --nagtime=2 --forfeittime=4")
    jabber.is_gone = True


def _take_leave(season: Season) -> None:
    """Go and come back."""
    king = season.players["king"]
    king.signed("signoff")
    king.signed("settings")


def _leave_for_good(season: Season) -> None:
    """One account is deleted, and one player wants to be forgotten."""
    lory, ivy = season.players["lory"], season.players["ivy"]
    ivy.signed("export")
    lory.signed("delete")
    ivy.signed("forget", "really")
    lory.is_gone = ivy.is_gone = True


ERRANDS: tuple[tuple[float, Errand, str], ...] = (
    (0.02, _settle, "bob carol dinah edgar jabber lory"),
    (0.05, _talk, "alice bob carol"),
    (0.07, _hold_a_cup, "alice bob carol dinah"),
    (0.08, _climb, "alice bob carol"),
    (0.10, _decline, "dinah edgar"),
    (0.12, _unwatch, "alice bob carol"),
    (0.15, _look_around, "alice bob carol"),
    (0.20, _change_accounts, "fiona george"),
    (0.25, _go_on_vacation, "hatter"),
    (0.30, _come_back, "hatter"),
    (0.35, _withdraw_an_offer, "king"),
    (0.40, _replay, "ivy king"),
    (0.45, _play_again, "dinah edgar"),
    (0.46, _invite, "alice"),
    (0.48, _begin_by_letter, "alice"),
    (0.50, _go_silent, "fiona jabber king"),
    (0.55, _take_leave, "king"),
    (0.80, _leave_for_good, "ivy lory"),
    (0.90, _organise, "alice bob"),
)
"""What is done, when, in parts of the whole time, and by whom."""


def by_day(plan: Plan) -> dict[int, list[Errand]]:
    """Return the errands of each day of a league, but for those of players that it lacks."""
    found: dict[int, list[Errand]] = {}
    for part, errand, names in ERRANDS:
        if plan.names.issuperset(names.split()):
            found.setdefault(int(part * plan.days), []).append(errand)
    return found
