"""Games in which every move is an answer, typed in mutt on one side and in s-nail on the other."""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import cycle, islice

from tests.peers.mail_games.moves import Typed, game, words_of
from tests.peers.mail_games.mutt import Mutt, at_mutt
from tests.peers.mail_games.s_nail import Quote, SNail, at_s_nail
from tests.peers.mail_servers.games import PASSWORDS, make_players
from tests.peers.mail_servers.host import Host
from tests.peers.mail_servers.postfix import Postfix, running_postfix
from tests.support.waiting import wait_until

HALF = 22
"""After so many moves bob finds the setting with which s-nail heeds Reply-To; as it comes, it sends
answers to the address in From."""

WITHOUT_TAGS = r"/^(pbmserv)\+oust\..*(@.*)$/ $1$2"
"""Rewrites the address of every answer, as some mail servers and mail programs do."""


@contextmanager
def seated(host: Host, postfix: Postfix) -> Iterator[tuple[Mutt, SNail]]:
    """Let alice challenge bob, and have both at their programs."""
    make_players(host)
    for userid in PASSWORDS:
        (host.folder / userid).mkdir()
    with at_mutt("alice", host.mail / "alice", host.folder / "alice", postfix.sendmail) as mutt:
        mutt.write(host.commands, "oust challenge alice bob wonderland -size=7", "Good luck, Bob.")
        wait_until(lambda: host.letters_to("bob@example.org"), "the challenge")
        with at_s_nail("bob", host.mail / "bob", host.folder / "bob", host.smtp_port) as s_nail:
            s_nail.open("alice challenges you: oust 1")
            s_nail.read("Good luck, Bob.")
            yield mutt, s_nail


def play(moves: Iterable[Typed], mutt: Mutt, s_nail: SNail, first: int = 1) -> None:
    """Let alice at mutt and bob at s-nail answer the board mails with these moves.

    What one of them writes below a move is looked for in the next board mail of the other.
    """
    quotes = cycle(Quote)
    chat: tuple[str, ...] = ()
    for number, typed in enumerate(moves, first):
        program = mutt if typed.by == "alice" else s_nail
        program.open(f"oust 1 #{number}: your turn, {typed.by}")
        for line in chat:
            program.read(line)
        if program is mutt:
            mutt.answer(typed.text)
        else:
            s_nail.answer(typed.text, next(quotes))
        chat = typed.chat


def test_a_whole_game_is_played_by_answers_from_mutt_and_s_nail(host: Host) -> None:
    moves = list(game())
    tagged = Counter(
        typed.by for number, typed in enumerate(moves) if typed.by == "alice" or number >= HALF
    )
    host.configure()
    with running_postfix(host, host.postfix_settings) as postfix, host.serving():
        with seated(host, postfix) as (mutt, s_nail):
            play(moves[:HALF], mutt, s_nail)
            s_nail.set("reply-to-honour")
            play(moves[HALF:], mutt, s_nail, first=HALF + 1)
            mutt.open("oust 1: over, you win")
            mutt.close()
            s_nail.open("oust 1: over, alice wins")
            s_nail.read("Thank you for the game.")
            tree = mutt.tree()
            assert len(mutt.folded()) == 1
        assert len(tree) == len(moves) + 1
        assert all(re.search("[├└┬]─*>oust 1", line) for line in tree)
        for userid, number in tagged.items():
            address = rf" to=<pbmserv\+oust\.1\.\d+\.{userid}\..*status=sent"
            assert len(re.findall(address, postfix.log)) == number
    history = (host.home / "oust/1.txt").read_text()
    records = re.findall(r"^ *\d+ [xo] (.*?) +\d{4}-", history, re.MULTILINE)
    assert [words_of(record) for record in records] == [words_of(typed.move) for typed in moves]
    verified = host.run("games", "verify")
    assert verified.stdout.startswith(f"oust 1: ok, {len(moves)} records, ")
    assert verified.stdout.endswith(" won, capture\n")


def test_answers_are_moves_where_a_mail_server_strips_their_address(host: Host) -> None:
    host.configure()
    rewriting = host.folder / "without_tags"
    rewriting.write_text(f"{WITHOUT_TAGS}\n")
    stripping = f"{host.postfix_settings}\nrecipient_canonical_maps = regexp:{rewriting}\n"
    with running_postfix(host, stripping) as postfix, host.serving():
        with seated(host, postfix) as (mutt, s_nail):
            play(islice(game(), 4), mutt, s_nail)
            mutt.open("oust 1 #5: your turn, alice")
        assert " to=<pbmserv+oust" not in postfix.log
    assert (
        len(json.loads(host.run("games", "history", "oust", "1", "--json").stdout)["records"]) == 4
    )
