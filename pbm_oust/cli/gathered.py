"""Groups whose commands are imported only when they run."""

import gc
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, NamedTuple

import click


class Elsewhere(NamedTuple):
    """A command that is imported when it runs."""

    place: str
    """Its module in this package, and its name there: `formats:import_`."""
    sentence: str
    """The first sentence of its help."""


@contextmanager
def uncollected() -> Iterator[None]:
    """Look for no garbage while the body imports: it makes none, and looking takes long."""
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


class Gathered(click.Group):
    """A group with commands in other modules of this package.

    A list of commands, and their completion, take the sentences of those elsewhere and import none.
    """

    def __init__(
        self, *words: Any, elsewhere: Mapping[str, Elsewhere] | None = None, **options: Any
    ) -> None:
        super().__init__(*words, **options)
        self._elsewhere = elsewhere or {}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, sorted."""
        return sorted({*super().list_commands(ctx), *self._elsewhere})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command with a name, if there is one; of one elsewhere, what lists show."""
        if cmd_name in self._elsewhere:
            return click.Command(cmd_name, help=self._elsewhere[cmd_name].sentence)
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first word names, whole, and the words that follow."""
        name, command, rest = super().resolve_command(ctx, args)
        if name and name in self._elsewhere:
            module, _, found = self._elsewhere[name].place.partition(":")
            with uncollected():
                command = getattr(import_module(f"{__package__}.{module}"), found)
        return name, command, rest

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command that the words name; whatever an error quotes, a terminal shows it."""
        try:
            return super().invoke(ctx)
        except click.ClickException as error:
            from pbm_oust.cli.terminal import shown

            vars(error)["message"] = shown(error.message or "")
            raise
