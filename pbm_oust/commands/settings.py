"""The command that changes or shows settings: settings."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import product

from pbm_oust.accounts.account import Account
from pbm_oust.accounts.password import NO_PASSWORD
from pbm_oust.accounts.settings import (
    NAMES,
    Auth,
    Settings,
    Unknown,
    format_setting,
    has_untold,
    settings_of,
    values_of,
    with_all_told,
    with_setting,
    with_settings,
)
from pbm_oust.grammar.form import Form, MissingWord
from pbm_oust.grammar.notation import Heading, OwnCommand
from pbm_oust.grammar.parts import rest
from pbm_oust.grammar.values import OWN
from pbm_oust.grammar.words import (
    NoneOfThese,
    aliases_of,
    find_command_word,
    find_word,
    fold,
    meant_by,
    without_accents,
)
from pbm_oust.languages import LANGUAGES, Section
from pbm_oust.play.authentication import SenderNotEnough
from pbm_oust.play.forms import ForPlayer
from pbm_oust.play.notices import Notice, OutcomeNotice, Reader
from pbm_oust.play.request import Actor, Handled, Outcome, Request
from pbm_oust.play.unit_of_work import UnitOfWork
from pbm_oust.refusal import NotAllowed, Unreadable, UnreadableReason

_USUAL_ZONE = "UTC"
_EASED = "auth", Auth.SENDER.value
_LANGUAGES = {name: each.code for each in LANGUAGES.values() for name in (each.code, *each.names)}

_VALUES = {(name, value) for name in NAMES for value in values_of(name)}
_VALUES |= {("language", name) for name in _LANGUAGES}
_VALUES.add(("zone", _USUAL_ZONE.lower()))


def _in_any(word: str) -> set[str]:
    """Return a word in all languages."""
    return {word, *aliases_of([word])}


SETTING_WORDS = frozenset({*NAMES, *(value for _, value in _VALUES)}).union(
    f"{name}={value}" for pair in _VALUES for name, value in product(*map(_in_any, pair))
)
"""The words of settings, which no password can be."""


class BadZone(UnreadableReason):
    """There is no such time zone."""


@dataclass(frozen=True, slots=True)
class Settle(OwnCommand):
    """Change settings, names and values as the server writes them; without any, show all."""

    changes: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True)
class SettingsNotice(OutcomeNotice):
    """All settings of the reader."""

    template = "settings"
    rows: tuple[tuple[str, str, tuple[str, ...]], ...]
    """The name of each setting, its value, and its possible values if they are few."""
    changed: tuple[str, ...]
    """The names of those that were changed."""
    unknown: tuple[Unknown, ...]
    """What the reader has settled that means nothing here any more."""


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
            value = _LANGUAGES[find_word(without_accents(fold(value)), _LANGUAGES)]
    if values := values_of(name):
        return _find(value, values, word, before="" if word == value else f"{name}=")
    try:
        return format_setting(with_setting(Settings(), name, value), name)
    except ValueError:
        raise Unreadable(BadZone(right=word.replace(value, _USUAL_ZONE)), word) from None


def _find(wanted: str, known: Sequence[str], word: str, behind: str = "", before: str = "") -> str:
    """Return the known word that is wanted. Raises Unreadable with the word it is part of."""
    try:
        return find_command_word(wanted, known)
    except Unreadable as error:
        right = f"{before}{meant_by(error) or known[0]}{behind}"
        reason = error.reason
        if isinstance(reason, NoneOfThese):
            section = Section.SETTINGS if known is NAMES else Section.WORDS
            reason = replace(reason, known=tuple(known), right=right, section=section)
        raise Unreadable(reason, word) from None


def settle(command: Settle, actor: Actor, request: Request, work: UnitOfWork) -> Handled:
    """Change settings, or show them all.

    Raises NotAllowed if the sender is to be enough from now on, and nothing but the sender says so.
    """
    if not (command.changes or has_untold(settings_of(actor.account))):
        return work.answer(_told(actor.account, (), request, work), request)
    is_eased = settings_of(actor.account).auth is not Auth.SENDER and _EASED in command.changes
    if is_eased and command.password == NO_PASSWORD:
        raise NotAllowed(SenderNotEnough())

    def change(account: Account) -> Account:
        settings = with_all_told(settings_of(account))
        for name, value in command.changes:
            settings = with_setting(settings, name, value)
        return with_settings(account, settings)

    def tell(account: Account) -> tuple[OutcomeNotice, list[Notice]]:
        return _told(account, tuple(name for name, _ in command.changes), request, work), []

    return work.change_account(change, tell, actor, request, Handled(Outcome.DONE))


def tell_unknown(userid: str, work: UnitOfWork) -> None:
    """Tell a player once of settings of theirs that mean nothing here any more."""
    account = work.account_if_any(userid)
    if account is None or not has_untold(settings_of(account)):
        return
    from pbm_oust.play.rulings import id_of, request_of

    notice = _notice(account, (), work.player(account))
    request = request_of(id_of("unknown settings", userid, account.version))
    with work.posting([notice], request):
        work.save(with_settings(account, with_all_told(settings_of(account))))


def _told(
    account: Account, changed: tuple[str, ...], request: Request, work: UnitOfWork
) -> SettingsNotice:
    return _notice(account, changed, work.player_at(account, request))


def _notice(account: Account, changed: tuple[str, ...], reader: Reader) -> SettingsNotice:
    settings = settings_of(account)
    rows = tuple((name, format_setting(settings, name), values_of(name)) for name in NAMES)
    return SettingsNotice(reader, rows, changed, settings.unknown)


FORMS = (
    Form(
        "settings",
        Settle,
        OWN,
        rest(
            ("[NAME VALUE]..",),
            _read_changes,
            lambda changes: [word for change in changes for word in change],
            least=0,
            known=SETTING_WORDS,
            sections=(Section.SETTINGS, Section.WORDS),
        ),
        heading=Heading.SETTINGS,
        rank=10,
        run=ForPlayer(settle),
    ),
)
