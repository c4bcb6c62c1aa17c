"""Conversations by mail as people can read them: what is mailed, and what comes of it.

A line is one of these:

    alice > LINE                a mail with this Subject; with `>#7` it is the same mail each time,
                                and with `>#-` it has no Message-ID
    alice >! LINE               our mail server has verified its sender, or `>?` found it forged
    alice >@ LINE               a mail with this Subject to where the latest letter to alice is
                                answered
    12 times: alice > LINE      the same again and again; NTH in it is 0, 1, 2 ..
    alice >> TEXT               an answer to the latest letter to alice
    bob >>(alice) TEXT          an answer to a letter that somebody else has got, or that was kept;
                                with `~` before its text, it goes to our plain address
      : NAME: VALUE             a header of the mail above
      | TEXT                    a line of the text of the mail above
    keep old: alice             keeps the latest letter to alice under a name
    carol taps(old) SUBJECT     a tap on a link of the latest letter to carol, or of a kept one
    ends: old                   what a mail program sends to get no more letters like this one
    comes back from bob: TEXT   a letter that his mail server has refused for this reason
    10 games are over           of alice against bob; a board for each, from 1 on
    later: 3 days               lets time go by; `sweep` lets the server do what is due, and
                                `restart` begins it anew
    $ COMMAND                   a command of the operator, which ends well
    set: house = "off"          a line of the configuration
    damaged: alice              makes an account one that nobody can read
    sent                        lets the relay take all letters
    told: alice, bob            who gets letters about the latest mail, in their order, or nobody
    alice < SUBJECT             a letter about the latest mail, with the whole Subject
    alice reads: WORDS          words in the letters to alice about the latest mail
    alice reads not: WORDS      words that are not there; `reads no line of` some
    alice shows: TEXT           those letters as they are written
    alice may send: LINE        how a line begins that the letter to alice sets apart to be sent
    alice in: fr                the language of the letter to alice about the latest mail
    alice has NAME: WORDS       words in a header of that letter; `has no NAME` where there is none
    alice can tap: SUBJECT, ..  the links of that letter, or nothing
    letters to alice: 3         how many letters to alice, or `to all`, are in the outbox
    codes: 3                    how many codes have been mailed
    limits: moves_an_hour=2     other limits than the usual ones
    unwritten: LINE             one that lets nothing be written to the database
    chosen by bob: zone UTC     a setting, as if it had been chosen
    waits: alice, bob           to whom letters are in the outbox, or nobody
    swept: oust 1: remind x     what the latest sweep did, or nothing
    kept of alice: LINE         a line of what an account keeps; `not kept of alice` if it is none
    outcome: done: move         what became of the latest mail, as the log has it; with `..`, how
                                that begins
    board oust 1: x C3, o D4    what was done on a board, or nothing
    boards oust: 1, 2           the boards that there are, or nothing

CODE(alice) in a LINE is the latest code that was mailed to alice, CODE(alice, -2) the one before.
"""

import re
import shlex
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from email.utils import parseaddr
from pathlib import Path

from msgspec.structs import replace

from pbm_oust.accounts.document import account_lines
from pbm_oust.accounts.settings import Setting
from pbm_oust.accounts.tags import envelope_sender
from pbm_oust.store.boards import read_rows
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName
from pbm_oust.store.limits import SETTABLE, Limits
from tests.support.accounts import account_of, change_account, codes, damage_account
from tests.support.command_line import done, play_house
from tests.support.histories import board_numbers, moves_of, short_history
from tests.support.home_by_mail import ADDRESS, ALICE, AUTHSERV_ID, BOB, CAROL, Talk, new_id
from tests.support.mails import mail
from tests.support.outbox import Letter, clear_outbox, letters
from tests.support.pages import Page
from tests.support.tables import unescaped

REPORT = Path(__file__).parents[1] / "data" / "refused.txt"
"""What qmail says of a letter that another mail server has refused."""
PLAYERS = {"alice": ALICE, "bob": BOB, "carol": CAROL}
MAIL = re.compile(r"(\S+) (>[>@!?]?)(?:\((\w+)\))?(~)?(?:#(\d+|-))? ?(.*)", re.DOTALL)
TAP = re.compile(r"(\S+) taps(?:\((\w+)\))? (.+)")
READS = re.compile(r"(\S+) (reads|shows)( not| no line of)?: (.+)", re.DOTALL)
HAS = re.compile(r"(\S+) has (no )?([\w-]+)(?:: (.+))?")
KEPT = re.compile(r"(not )?kept of (\w+): (.+)")
BOARD = re.compile(r"board (\w+) (\d+): (.+)")
BACK = re.compile(r"comes back from (\S+): (.+)")
TIMES = re.compile(r"(\d+) times: ")
SENDS = re.compile(r"(\S+) may send: (.+)")
CODE = re.compile(r"CODE\((\S+?)(?:, (-\d))?\)")
LATER = re.compile(r"later: (-?\d+) (days?|hours?|minutes?|seconds?)")


def address_of(name: str) -> str:
    return PLAYERS.get(name, name)


@dataclass
class Conversation:
    """A conversation that goes on line by line."""

    talk: Talk
    latest: dict[str, Letter] = field(default_factory=dict)
    """The latest letter to each address, and those that were kept."""

    def say(self, lines: Sequence[str]) -> None:
        """Take all lines, each with what belongs to it."""
        waiting = list(lines)
        while waiting:
            line, further = waiting.pop(0), list[str]()
            while waiting and self.goes_on(waiting[0]):
                further.append(waiting.pop(0))
            times = TIMES.match(line)
            for nth in range(int(times[1]) if times else 1):
                again = line[times.end() :].replace("NTH", str(nth)) if times else line
                self.take(again, further)

    def goes_on(self, line: str) -> bool:
        """Return whether a line belongs to the one above it."""
        return line.startswith("  ")

    def take(self, line: str, further: list[str]) -> None:
        """Do what a line says, or fail unless it is so."""
        if not line:
            return
        if mail := MAIL.fullmatch(line):
            self.mail(mail, further)
        elif tap := TAP.fullmatch(line):
            name, kept, subject = tap.groups()
            self.tap(address_of(name), self.latest[address_of(kept or name)], subject)
        elif line.startswith("$ "):
            known = set(self.talk.home.outbox.letters())
            if line == "$ house":
                play_house(self.talk.home)
            else:
                done(self.talk.home, *shlex.split(line[2:]))
            self.got(letters(self.talk.home, but=known))
        elif back := BACK.fullmatch(line):
            self.come_back(address_of(back[1]), back[2])
        elif later := LATER.fullmatch(line):
            self.talk.now += timedelta(**{later[2].rstrip("s") + "s": int(later[1])})
        elif line.startswith("unwritten: "):
            before = self.talk.home.database.moment()
            self.take(line.removeprefix("unwritten: "), further)
            assert self.talk.home.database.moment() == before
        elif over := re.fullmatch(r"(\d+) games are over", line):
            boards, ended = self.talk.home.boards, "2026-11-02T00:00:00Z"
            rows = [
                read_rows(BoardName("oust", each), short_history(each, ended, ended).encode())
                for each in range(1, int(over[1]) + 1)
            ]
            self.talk.home.do(boards.put_all, rows)
        elif line == "sweep":
            self.talk.sweep()
        elif line == "restart":
            self.talk.home.write_tally(self.talk.now)
            self.talk.home.close()
            self.talk.home = Home(self.talk.home.path)
        elif line == "sent":
            clear_outbox(self.talk.home)
        else:
            self.look(line)
            return
        self.got(self.talk.letters)

    def got(self, letters: list[Letter]) -> None:
        """Take letters for those about the latest mail."""
        self.talk.letters = letters
        self.latest |= {letter.to: letter for letter in letters}

    def mail(self, line: re.Match[str], further: list[str]) -> None:
        """Send a mail, or answer a letter as mail programs do."""
        sender, arrow, got, is_plain, number, said = line.groups()
        said += "".join(f"\r\n{each[4:]}" for each in further if each[2] == ":")
        text = "\n".join(each[4:] for each in further if each[2] == "|")
        talk, address = self.talk, address_of(sender)
        found = {">!": "pass", ">?": "fail"}.get(arrow)
        said = CODE.sub(lambda code: self.code_to(address_of(code[1]), int(code[2] or -1)), said)
        if found:
            domain = address.rpartition("@")[2]
            results = f"Authentication-Results: {AUTHSERV_ID}; dmarc={found} header.from={domain}"
            data = mail(results, f"From: {address}", f"Subject: {said}", new_id(), text=text)
            talk.hand_in(data, address, talk.own, is_ours=True)
        elif arrow != ">>":
            headers = [] if number == "-" else [new_id(int(number or 0))]
            at = self.latest[address_of(got or sender)] if arrow == ">@" else None
            to = str(at["Reply-To"]) if at else ""
            talk.send(address, said, text, to=to, headers=headers)
        else:
            letter = self.latest[address_of(got or sender)]
            _, to = parseaddr(letter["Reply-To"] or str(letter["From"]))
            to = talk.own if is_plain else to
            text = f"{said}\n{text}" if said else text
            talk.answer(letter, text, address, to=to, number=int(number or 0))

    def tap(self, sender: str, letter: Letter, subject: str) -> None:
        """Send the mail that a link of a letter begins."""
        (tapped,) = (each for each in Page(letter.page).taps() if each.subject == subject)
        self.talk.send(sender, tapped.subject, to=tapped.address)

    def end(self, letter: Letter) -> None:
        """Send what a mail program sends to get no more letters like this one."""
        address = str(letter["List-Unsubscribe"]).partition("?")[0].removeprefix("<mailto:")
        robotic = ("Auto-Submitted: auto-generated", "Precedence: bulk")
        self.talk.send("robot@mail.example", "unsubscribe", to=address, headers=robotic)

    def come_back(self, address: str, said: str) -> None:
        """Let a letter to an address come back, as qmail tells it."""
        given = {"ADDRESS": address, "SAID": said, "ID": new_id()}
        text = re.sub("|".join(given), lambda found: given[found[0]], REPORT.read_text())
        data = mail("From: MAILER-DAEMON@mail.example.net", "Subject: failure notice", text=text)
        back = envelope_sender(ADDRESS, self.talk.home.key(), address)
        self.talk.hand_in(data, "", back)

    def code_to(self, address: str, nth: int) -> str:
        """Return one of the codes that were mailed to an address."""
        return [code for to, code in codes(self.talk.home) if to == address][nth]

    def set(self, line: str) -> None:
        """Put a line into the configuration, in place of one with the same key."""
        path, key = self.talk.home.configuration, line.partition(" =")[0]
        lines = path.read_text().splitlines() if path.exists() else []
        kept = [each for each in lines if each.partition(" =")[0] != key]
        path.write_text("".join(f"{each}\n" for each in [*kept, line]))

    def look(self, line: str) -> None:
        """Compare what a line says of the letters about the latest mail, and of the home."""
        if reads := READS.fullmatch(line):
            about = [each for each in self.talk.letters if each.to == address_of(reads[1])]
            assert about
            told = " ".join(each.words if reads[2] == "reads" else each.text for each in about)
            if reads[3] == " no line of":
                lines = [line for line in reads[4].splitlines() if line.strip("- _")]
                assert not [line for line in lines if " ".join(line.split()) in told], told
            else:
                words = unescaped(reads[4])
                words = " ".join(words.split()) if reads[2] == "reads" else words
                assert (words in told) is not bool(reads[3]), told
        elif may := SENDS.fullmatch(line):
            told = self.talk.text_to(address_of(may[1]))
            assert re.search(rf"^  {re.escape(may[2])}(?:  .*)?$", told, re.MULTILINE), told
        elif has := HAS.fullmatch(line):
            value = self.talk.letter_to(address_of(has[1]))[has[3]]
            assert value is None if has[2] else value and (has[4] or "") in value, value
        elif board := BOARD.fullmatch(line):
            moves = [] if board[3] == "nothing" else board[3].split(", ")
            assert moves_of(self.talk.home, int(board[2]), board[1]) == moves
        elif kept := KEPT.fullmatch(line):
            lines = account_lines(account_of(self.talk.home, kept[2]))
            assert (kept[3] in lines) is not bool(kept[1]), lines
        else:
            self.compare(line)

    def compare(self, line: str) -> None:
        """Compare the rest of what a line may say."""
        talk = self.talk
        what, _, words = line.partition(": ")
        named = [] if words in ("nobody", "nothing") else words.split(", ")
        if what == "told":
            assert [letter.to for letter in talk.letters] == list(map(address_of, named))
        elif what == "waits":
            assert {letter.to for letter in letters(talk.home)} == set(map(address_of, named))
        elif what == "swept":
            assert talk.swept == named
        elif what == "outcome":
            begun = talk.outcome[: len(words) - 2] + ".." if words.endswith("..") else talk.outcome
            assert begun == words, talk.outcome
        elif what == "set":
            self.set(words)
        elif what == "damaged":
            damage_account(talk.home, words)
        elif what == "ends":
            self.end(self.latest[address_of(words)])
            self.got(talk.letters)
        elif what.endswith(" in"):
            to = address_of(what.removesuffix(" in"))
            assert talk.letter_to(to)["Content-Language"] == words
        elif what.endswith(" can tap"):
            page = talk.page_to(address_of(what.removesuffix(" can tap")))
            assert [tap.subject for tap in Page(page).taps()] == named, page
        elif what.startswith("boards "):
            found = board_numbers(talk.home, what.removeprefix("boards "))
            assert found == [int(each) for each in named]
        elif what.startswith("letters to "):
            to = address_of(what.removeprefix("letters to "))
            assert sum(to in ("all", each.to) for each in letters(talk.home)) == int(words)
        elif what == "codes":
            assert len(list(codes(talk.home))) == int(words)
        elif what == "limits":
            chosen = dict(each.split("=") for each in named)
            talk.limits = Limits({SETTABLE[key]: int(most) for key, most in chosen.items()})
        elif what.startswith("chosen by "):
            userid, setting = what.removeprefix("chosen by "), Setting(*words.split())
            change_account(
                talk.home, userid, lambda each: replace(each, settings=(*each.settings, setting))
            )
        elif what.startswith("keep "):
            self.latest[what.removeprefix("keep ")] = self.latest[address_of(words)]
        else:
            name, arrow, subject = line.partition(" < ")
            assert arrow, f"no line of a conversation: {line}"
            to = address_of(name)
            assert subject in [each.subject for each in talk.letters if each.to == to], talk.letters
