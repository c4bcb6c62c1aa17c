"""The verdict: what stands in a home, read from the outside, and what was acknowledged.

Nothing of the program is used here but its command line. Histories are split on spaces, and
letters are read as any mail program reads them.
"""

import json
import re
import subprocess
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from email.message import Message
from pathlib import Path

from tests.chaos.ledger import Kind, Mail
from tests.chaos.trial import PROGRAM
from tests.support.letters import is_whole, text_letter
from tests.support.waiting import PATIENCE

KINDS = ("oust", "churn")
MOST_CODES = 3
"""Codes that an address gets within a day; further signups are not answered."""
IDENTITY = re.compile(
    r"<([a-z]+\.\d+\.\d+|.+)\.(?:[^.@]+\.[0-9a-f]{12}\.[a-z2-7]{16}|[0-9a-f]{16})@.+>"
)
HEADERS = ("From", "To", "Subject", "Date", "Message-ID", "X-Pbm-Oust", "MIME-Version")
"""Headers that every letter has."""


@dataclass(frozen=True, slots=True)
class Record:
    """A record of a history, or the remark about its challenge as record 0."""

    board: str
    number: int
    id: str
    done: str


@dataclass(frozen=True, slots=True)
class Letter:
    """A letter in the outbox."""

    name: str
    to: str
    of: str
    """What it is about, by its Message-ID: `oust.17.5`, or one word."""
    answers: str
    """The Message-ID of the mail that it answers; empty where it tells somebody else."""
    is_refusal: bool
    text: str


@dataclass(slots=True)
class Verdict:
    """Everything that is not as it has to be, in sentences."""

    lost: list[str] = field(default_factory=list)
    """Acknowledged, and not done."""
    doubled: list[str] = field(default_factory=list)
    """Done more than once."""
    missing: list[str] = field(default_factory=list)
    """Letters that somebody should have got."""
    refused: list[str] = field(default_factory=list)
    """Correct commands that were refused."""
    strange: list[str] = field(default_factory=list)
    """Records and letters that nothing explains."""
    damaged: list[str] = field(default_factory=list)
    """What is against the rules or cannot be read, faults in the log, passwords in plain sight."""
    left_behind: list[str] = field(default_factory=list)
    """Letters without a place, and drafts."""

    @property
    def is_right(self) -> bool:
        """Whether nothing is wrong."""
        return not any(self.findings().values())

    def findings(self) -> dict[str, list[str]]:
        """Return what is wrong, under the headings of the report."""
        return {
            "lost": self.lost,
            "doubled": self.doubled,
            "notices missing": self.missing,
            "refused wrongly": self.refused,
            "strange": self.strange,
            "damaged": self.damaged,
            "left behind": self.left_behind,
        }


@dataclass(slots=True)
class Home:
    """What stands in a home."""

    path: Path
    records: dict[str, list[Record]] = field(default_factory=lambda: defaultdict(list))
    """Records and challenges by their ids."""
    lengths: dict[str, int] = field(default_factory=dict)
    """How many records each board has."""
    owners: dict[str, set[str]] = field(default_factory=dict)
    letters: list[Letter] = field(default_factory=list)
    damaged: list[str] = field(default_factory=list)

    userids: set[str] = field(default_factory=set)
    """Who has an account."""


def judge(home: Path, log: Path, mails: list[Mail]) -> Verdict:
    """Return the verdict on a home after these mails, when no process works on it."""
    verdict = judge_home(read_home(home), mails)
    for command in (("games", "verify"), ("doctor", "--all")):
        checked = _run(home, *command)
        lines = checked.stdout.splitlines()
        if checked.returncode or checked.stderr:
            wrong = [line for line in lines if "ok" not in line.split()]
            said = "; ".join([*wrong, *checked.stderr.splitlines()])
            verdict.damaged.append(f"{' '.join(command)}: status {checked.returncode}, {said}")
    for line in log.read_text("utf-8", "replace").splitlines():
        if "a fault in the program" in line or line.startswith("Traceback"):
            verdict.damaged.append(f"in the log: {line}")
    verdict.damaged += _passwords(mails, [*_files(home), log])
    return verdict


def judge_home(home: Home, mails: list[Mail]) -> Verdict:
    """Return the verdict on what stands in a home after these mails."""
    verdict = Verdict(damaged=list(home.damaged))
    verdict.left_behind += [
        str(path)
        for path in _files(home.path)
        if path.parent.name == "tmp" or path.name.endswith(".draft")
    ]
    answers: dict[str, list[Letter]] = defaultdict(list)
    tellings: dict[tuple[str, str], list[Letter]] = defaultdict(list)
    for letter in home.letters:
        if letter.answers:
            answers[letter.answers].append(letter)
        else:
            tellings[letter.to, letter.of].append(letter)
    for mail in mails:
        _judge_mail(mail, home, answers.get(mail.message_id, []), tellings, verdict)
    _judge_strangers(home, mails, verdict)
    return verdict


def _judge_mail(
    mail: Mail,
    home: Home,
    answers: list[Letter],
    tellings: dict[tuple[str, str], list[Letter]],
    verdict: Verdict,
) -> None:
    """Judge what became of a mail."""
    name = f"{mail.kind.value}: {mail.subject} ({mail.message_id}, id {mail.id})"
    if not mail.acknowledged:
        verdict.lost.append(f"never acknowledged: {name}")
        return
    records = home.records.get(mail.id, [])
    refusals = [letter for letter in answers if letter.is_refusal]
    own = [letter for letter in answers if letter.to == mail.sender.address]
    most = MOST_CODES if mail.kind is Kind.SIGNUP else mail.acknowledged
    if len(own) < min(mail.acknowledged, most):
        verdict.missing.append(f"{len(own)} answers to {mail.acknowledged} times {name}")
    if mail.kind is Kind.WRONG:
        if len(refusals) < len(answers) or records:
            verdict.strange.append(f"carried out: {name}")
        return
    if refusals:
        verdict.refused.append(f"{name}: {refusals[0].name}")
    if mail.kind is Kind.VERIFY and mail.sender.userid not in home.userids:
        verdict.lost.append(name)
    if mail.kind not in (Kind.CHALLENGE, Kind.MOVE):
        return
    if len(records) > 1:
        boards = ", ".join(f"{record.board} #{record.number}" for record in records)
        verdict.doubled.append(f"{boards}: {name}")
    right = [record for record in records if _is_right(record, mail)]
    if not right:
        verdict.lost.append(name)
        return
    of = f"{right[0].board.replace(' ', '.')}.{right[0].number}"
    if not any(letter.of == of for letter in own):
        verdict.missing.append(f"to {mail.sender.userid} about {of}: {name}")
    told = tellings.get((mail.other.address, of), [])
    if not any(mail.marker in letter.text for letter in told):
        verdict.missing.append(f"to {mail.other.userid} about {of}: {name}")


def _is_right(record: Record, mail: Mail) -> bool:
    """Return whether a record says what the mail asked for."""
    is_challenge = mail.kind is Kind.CHALLENGE
    if is_challenge or not record.number:
        return is_challenge and not record.number
    return record.board == mail.board and re.sub(r"\*\d+", "", record.done) == mail.done


def _judge_strangers(home: Home, mails: list[Mail], verdict: Verdict) -> None:
    """Find records and letters that no mail explains."""
    ids = {mail.id for mail in mails}
    sent = {mail.message_id for mail in mails}
    for records in home.records.values():
        verdict.strange += [f"nobody sent {each}" for each in records if each.id not in ids]
    for letter in home.letters:
        board, _, number = letter.of.rpartition(".")
        is_about_board = board in home.lengths and letter.to in home.owners[board]
        is_telling = is_about_board and int(number) <= home.lengths[board]
        if not (letter.answers in sent or (is_telling and not letter.answers)):
            verdict.strange.append(f"nothing explains letter {letter.name} about {letter.of}")


def read_home(path: Path) -> Home:
    """Return what stands in a home."""
    home = Home(path)
    listed = _run(path, "players", "list", "--json").stdout
    home.userids |= {account["userid"] for account in json.loads(listed or "[]")}
    for kind in KINDS:
        for history in sorted((path / kind).glob("[0-9]*.txt")):
            _read_history(kind, history, home)
    for name in sorted((path / "outbox").glob("*/*")):
        if name.parent.name != "tmp":
            letter = _read_letter(name)
            if isinstance(letter, Letter):
                home.letters.append(letter)
            else:
                home.damaged.append(letter)
    return home


def _read_history(kind: str, path: Path, home: Home) -> None:
    board = f"{kind} {path.stem}"
    thread = board.replace(" ", ".")
    home.lengths[thread] = 0
    home.owners[thread] = set()
    for line in path.read_text("utf-8", "replace").split("\n"):
        words = line.split()
        if line.startswith(("X: ", "O: ")):
            home.owners[thread].add(f"{words[1]}@example.org")
        elif line.startswith("# challenge "):
            home.records[words[-1]].append(Record(board, 0, words[-1], ""))
        elif len(words) >= 5 and words[0].isdecimal():
            number, _, *done, _, key = words
            home.records[key].append(Record(board, int(number), key, " ".join(done)))
            home.lengths[thread] += 1


def _read_letter(path: Path) -> Letter | str:
    """Return a letter, or what is wrong with it."""
    data = path.read_bytes()
    message: Message = text_letter(data)
    payload = message.get_payload(decode=True)
    identity = IDENTITY.fullmatch(message.get("Message-ID", ""))
    lacking = [name for name in HEADERS if name not in message]
    if lacking or not identity or not isinstance(payload, bytes) or not is_whole(data):
        return f"letter {path.name} is not whole; it lacks {', '.join(lacking) or 'its end'}"
    return Letter(
        path.name,
        message["To"],
        identity[1],
        "".join(message.get("In-Reply-To", "").split()),
        message["X-Pbm-Oust"] == "refusal",
        payload.decode("utf-8", "replace"),
    )


def _run(home: Path, *command: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the program on a home."""
    return subprocess.run(
        [PROGRAM, "--home", str(home), *command], capture_output=True, text=True, timeout=PATIENCE
    )


def _passwords(mails: list[Mail], paths: Iterable[Path]) -> Iterator[str]:
    """Yield where a password can be read."""
    passwords = {mail.sender.password.encode() for mail in mails}
    for path in paths:
        data = path.read_bytes()
        if b"Pw-" in data and any(password in data for password in passwords):
            yield f"a password can be read in {path}"


def _files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]
