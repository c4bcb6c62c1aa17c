"""Groups whose commands are imported only when needed."""

from collections.abc import Mapping
from importlib import import_module
from typing import Any

import click

from pbm_oust.cli.terminal import shown


class Gathered(click.Group):
    """A group with commands in other modules of this package, which are imported when needed.

    `elsewhere` says where they are: `{"import": "formats:import_"}`.
    """

    def __init__(
        self, *words: Any, elsewhere: Mapping[str, str] | None = None, **options: Any
    ) -> None:
        super().__init__(*words, **options)
        self._elsewhere = elsewhere or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, sorted."""
        return sorted({*super().list_commands(ctx), *self._elsewhere})

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that the words name; whatever an error quotes, a terminal shows it."""
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            vars(error)["message"] = shown(error.message or "")
            raise

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command with a name, if there is one."""
        if cmd_name not in self._elsewhere:
            return super().get_command(ctx, cmd_name)
        module, _, name = self._elsewhere[cmd_name].partition(":")
        command: click.Command = getattr(import_module(f"{__package__}.{module}"), name)
        return command
