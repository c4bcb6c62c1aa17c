"""What a shell can complete: the boards and the players of the home, and commands by mail."""

from contextlib import suppress
from pathlib import Path

import click
from click.shell_completion import CompletionItem

from pbm_oust.rules.position import Kind
from pbm_oust.store.faults import DatabaseFault
from pbm_oust.store.home import Home
from pbm_oust.store.open_boards import Salvage


def complete_boards(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the numbers of the boards of the kind that the line names."""
    kind = context.params.get("kind")
    words = _boards(context, kind.name) if isinstance(kind, Kind) else []
    return _beginning(words, incomplete)


def complete_userids(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the userids of all accounts."""
    return _beginning(_userids(context), incomplete)


def complete_command(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the words that may come next in a command by mail."""
    from pbm_oust.service.table import next_in

    follows = next_in(context.params.get(parameter.name or "") or ())
    words = list(follows.words)
    if "BOARD" in follows.place and follows.kind:
        words += _boards(context, follows.kind.name)
    if "USERID" in follows.place:
        words += _userids(context)
    return _beginning(words, incomplete)


def _boards(context: click.Context, kind: str) -> list[str]:
    return [str(name.board) for name in Salvage(_home(context)).names(kind)]


def _userids(context: click.Context) -> list[str]:
    with suppress(DatabaseFault):
        return _home(context).userids()
    return []


def _home(context: click.Context) -> Home:
    """Return the home that the command line names; no command runs here that would know it."""
    return Home(Path(context.find_root().params["home"]))


def _beginning(words: list[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(word) for word in words if word.startswith(incomplete.lower())]
