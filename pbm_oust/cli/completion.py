"""What a shell can complete: the boards and the players of the home."""

from pathlib import Path

import click
from click.shell_completion import CompletionItem

from pbm_oust.rules.position import Kind
from pbm_oust.store.home import Home


def complete_boards(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the numbers of the boards of the kind that the line names."""
    kind = context.params.get("kind")
    names = _home(context).board_names(kind.name) if isinstance(kind, Kind) else []
    return _beginning([str(name.board) for name in names], incomplete)


def complete_userids(
    context: click.Context, parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Return the userids of all accounts."""
    return _beginning(_home(context).userids(), incomplete)


def _home(context: click.Context) -> Home:
    """Return the home that the command line names; no command runs here to say so."""
    return Home(Path(context.find_root().params["home"]))


def _beginning(words: list[str], incomplete: str) -> list[CompletionItem]:
    return [CompletionItem(word) for word in words if word.startswith(incomplete.lower())]
