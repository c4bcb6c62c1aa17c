"""The commands that settle things: settings; limit, reject and unreject, for challenges."""

from collections.abc import Sequence
from contextlib import suppress
from itertools import product

from msgspec import structs

from pbm_oust.accounts.account import HIGHEST_LIMIT, Digested
from pbm_oust.accounts.asks import Ask, Topic
from pbm_oust.accounts.password import NO_PASSWORD
from pbm_oust.accounts.settings import NAMES, Auth, Settings, values_of
from pbm_oust.commands.vacation import VACATION
from pbm_oust.grammar import vocabulary
from pbm_oust.grammar.form import AnsweredBy, Form, MissingWord
from pbm_oust.grammar.notation import Heading
from pbm_oust.grammar.parts import Parameter, Rest
from pbm_oust.grammar.values import OWN, read_userids
from pbm_oust.languages import LANGUAGES, WordList
from pbm_oust.play.authentication import SenderNotEnough
from pbm_oust.play.context import Context, Outcome, answered, done
from pbm_oust.play.notices import Notice, SettingsNotice, words_behind
from pbm_oust.play.unit_of_work import ForPlayer
from pbm_oust.refusal import NotAllowed, NotAllowedReason, Unreadable, UnreadableReason
from pbm_oust.store.index import count_active

HEADING = Heading.SETTINGS

_USUAL_ZONE = "UTC"
_EASED = "auth", Auth.SENDER.value
_LANGUAGES = {name: each.code for each in LANGUAGES.values() for name in (each.code, *each.names)}

_VALUES = {(name, value) for name in NAMES for value in values_of(name)}
_VALUES |= {("language", name) for name in _LANGUAGES}
_VALUES.add(("zone", _USUAL_ZONE.lower()))


SETTING_WORDS = frozenset({*NAMES, *(value for _, value in _VALUES)}).union(
    f"{name}={value}"
    for pair in _VALUES
    for name, value in product(*((word, *vocabulary.aliases_of([word])) for word in pair))
)
"""The words of settings, which no password can be."""


class BadZone(UnreadableReason, frozen=True):
    """There is no such time zone."""


def _read_changes(words: Sequence[str]) -> tuple[tuple[str, str], ...]:
    """Return the settings that some words change: `mail mine` or `mail=mine`. Raises Unreadable."""
    changes: dict[str, str] = {}
    rest = list(words)
    while rest:
        word = rest.pop(0)
        name, equals, value = word.partition("=")
        name = _find(name, NAMES, word if equals else name, "=" + value if equals else "")
        if not equals:
            if not rest:
                missing = values_of(name) or ("ZONE",)
                raise Unreadable(MissingWord(missing))
            word = value = rest.pop(0)
        changes[name] = _read_value(name, value, word)
    return tuple(changes.items())


def _read_value(name: str, value: str, word: str) -> str:
    """Return the value of a setting as the server writes it; `word` is the word it is part of."""
    if name == "language":
        with suppress(Unreadable):
            value = _LANGUAGES[vocabulary.find_word(vocabulary.plain_word(value), _LANGUAGES)]
    if values := values_of(name):
        return _find(value, values, word, before="" if word == value else f"{name}=")
    try:
        return Settings().with_setting(name, value).text_of(name)
    except ValueError:
        raise Unreadable(BadZone(right=word.replace(value, _USUAL_ZONE)), word) from None


def _find(wanted: str, known: Sequence[str], word: str, behind: str = "", before: str = "") -> str:
    """Return the known word that is wanted. Raises Unreadable with the word it is part of."""
    try:
        return vocabulary.find_command_word(wanted, known)
    except Unreadable as error:
        right = f"{before}{vocabulary.meant_by(error) or known[0]}{behind}"
        reason = error.reason
        if isinstance(reason, vocabulary.NoneOfThese):
            among = WordList.SETTINGS if known is NAMES else WordList.WORDS
            reason = structs.replace(reason, known=tuple(known), right=right, among=among)
        raise Unreadable(reason, word) from None


def settle(on: Context, changes: tuple[tuple[str, str], ...]) -> Outcome:
    """Change settings, names and values as the server writes them; without any, show all.

    Raises NotAllowed if the sender is to be enough from now on, and nothing but the sender says so.
    """
    account, before = on.own, on.own.all_settings
    if not (changes or before.has_untold):
        return answered(SettingsNotice.of(on.reader_at(account)))
    is_eased = before.auth is not Auth.SENDER and _EASED in changes
    if is_eased and (on.player.proof == NO_PASSWORD or isinstance(on.player.proof, Ask)):
        raise NotAllowed(SenderNotEnough())
    settings = before.with_all_told()
    for name, value in changes:
        settings = settings.with_setting(name, value)
    if settings.digest is not before.digest and account.digests:
        # The next one comes at the new hour, not at once because that has passed today.
        account = account.with_digested(Digested(on.now, account.digested.sent))
    if settings.puzzles is not before.puzzles:
        account = account.with_puzzle_mailed(on.now)  # the first one comes the next morning
    account = on.save(account.with_settings(settings))
    changed = tuple(name for name, _ in changes)
    return done([SettingsNotice.of(on.reader_at(account), changed)])


class BadLimit(UnreadableReason, frozen=True):
    """A word is not a number that can limit boards."""

    most: int
    """The highest number."""


class RejectsSelf(NotAllowedReason, frozen=True):
    """Players would reject themselves."""


class LimitNotice(Notice, frozen=True):
    """The number of active boards that the reader wants at most."""

    limit: int
    """0 for any number."""
    active: int
    """The number that the reader has."""

    def ask(self) -> Ask | None:
        """Return that an answer may be another number alone."""
        return words_behind("limit", self.reader)


class RejectedNotice(Notice, frozen=True):
    """Whose challenges the reader rejects."""

    changed: tuple[str, ...] = ()
    """The players whom the command named."""
    is_ended: bool = False
    """Whether their challenges are taken again."""

    def ask(self) -> Ask | None:
        """Return that an answer may be the userids of others alone."""
        return words_behind("reject", self.reader)


def _read_limit(word: str) -> int:
    if not (word.isascii() and word.isdigit() and int(word) <= HIGHEST_LIMIT):
        raise Unreadable(BadLimit(HIGHEST_LIMIT), word)
    return int(word)


def set_limit(on: Context, limit: int) -> Outcome:
    """Limit the number of a player's active boards; 0 for any number."""
    account = on.save(on.own.with_limit(limit))
    active = count_active(on.snapshot, account.userid)
    return done([LimitNotice(on.reader_at(account), limit, active)])


def reject(on: Context, userids: tuple[str, ...]) -> Outcome:
    """Take no challenges from these players; without userids, list those who are rejected."""
    account = on.own
    if account.userid in userids:
        raise NotAllowed(RejectsSelf())
    if not userids:
        return answered(RejectedNotice(on.reader_at(account)))
    for userid in userids:
        on.account(userid)
    account = on.save(account.with_rejected((*account.rejected, *userids)))
    return done([RejectedNotice(on.reader_at(account), userids)])


def unreject(on: Context, userids: tuple[str, ...]) -> Outcome:
    """Take challenges from these players again."""
    others = (each for each in on.own.rejected if each not in userids)
    account = on.save(on.own.with_rejected(others))
    return done([RejectedNotice(on.reader_at(account), userids, is_ended=True)])


FORMS = (
    Form(
        "settings",
        OWN,
        Rest(
            ("changes",),
            ("[NAME VALUE]..",),
            _read_changes,
            lambda changes: [word for change in changes for word in change],
            least=0,
            known=SETTING_WORDS,
            word_lists=(WordList.SETTINGS, WordList.WORDS),
        ),
        is_of_kind=False,
        answers={Topic.DO: AnsweredBy.WORDS, Topic.OFF: AnsweredBy.ANYTHING},
        run=ForPlayer(settle),
    ),
    VACATION,
    Form(
        "limit",
        (*OWN, Parameter("BOARDS", "limit", _read_limit)),
        is_of_kind=False,
        answers={Topic.DO: AnsweredBy.WORDS},
        run=ForPlayer(set_limit),
    ),
    Form(
        "reject",
        OWN,
        Rest(("userids",), ("[USERID..]",), read_userids, tuple, least=0),
        is_of_kind=False,
        answers={Topic.DO: AnsweredBy.WORDS},
        run=ForPlayer(reject),
    ),
    Form(
        "unreject",
        OWN,
        Rest(("userids",), ("USERID..",), read_userids, tuple),
        is_of_kind=False,
        run=ForPlayer(unreject),
    ),
)
