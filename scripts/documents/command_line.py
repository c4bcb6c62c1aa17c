"""The tables of the operator's command line, from the commands of click."""

from collections.abc import Iterator

import click

from pbm_oust.cli.main import main
from scripts.documents.parts import code, escaped, table


def command_line_part() -> str:
    """Return the tables of all commands: first those that stand alone, then family by family."""
    context = click.Context(main)
    found = [(name, each) for name in main.list_commands(context) if (each := _sub(main, name))]
    alone = [(name, each) for name, each in found if not isinstance(each, click.Group)]
    parts = [table(_HEADS, [_row((name,), each) for name, each in alone])]
    for name, each in found:
        if isinstance(each, click.Group):
            rows = [_row(path, leaf) for path, leaf in leaves(each, (name,))]
            parts += [f"### {name}", f"{escaped(_sentence(each))}.", table(_HEADS, rows)]
    return "\n\n".join(parts)


def leaves(
    group: click.Group, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Yield each command below a group that can be run, with the names that lead there."""
    for name in group.list_commands(click.Context(group)):
        command = _sub(group, name)
        if isinstance(command, click.Group):
            yield from leaves(command, (*path, name))
        elif command:
            yield (*path, name), command


_HEADS = ("command", "what it does")


def _sub(group: click.Group, name: str) -> click.Command | None:
    return group.resolve_command(click.Context(group), [name])[1]


def _row(path: tuple[str, ...], command: click.Command) -> tuple[str, str]:
    usage = " ".join(["pbm-oust", *path, *map(_written, _parameters(command))])
    return code(usage), escaped(_sentence(command))


def _parameters(command: click.Command) -> list[click.Parameter]:
    """Return what may follow a command, options first."""
    shown = [each for each in command.params if not getattr(each, "hidden", False)]
    return sorted(shown, key=lambda each: isinstance(each, click.Argument))


def _written(parameter: click.Parameter) -> str:
    """Return a parameter as a usage line shows it."""
    if isinstance(parameter, click.Argument):
        return _value(parameter)
    assert isinstance(parameter, click.Option)
    name = max(parameter.opts, key=len)
    if parameter.secondary_opts:
        name = f"{name}|{parameter.secondary_opts[0]}"
    whole = name if parameter.is_flag or parameter.count else f"{name} {_value(parameter)}"
    many = ".." if parameter.multiple else ""
    return f"{whole}{many}" if parameter.required else f"[{whole}]{many}"


def _value(parameter: click.Parameter) -> str:
    """Return the place of a value: KIND, x|o, N."""
    if isinstance(parameter.type, click.Choice):
        choices = "|".join(map(str, parameter.type.choices))
        is_free = isinstance(parameter, click.Argument) and not parameter.required
        return f"[{choices}]" if is_free else choices
    is_option = isinstance(parameter, click.Option) and not parameter.metavar
    if is_option and isinstance(
        parameter.type, click.types.IntParamType | click.types.FloatParamType
    ):
        return "N"
    return parameter.make_metavar(click.Context(click.Command("any")))


def _sentence(command: click.Command) -> str:
    """Return the first paragraph of a command's help, without its last stop."""
    paragraph = (command.help or "").strip().split("\n\n")[0]
    return " ".join(paragraph.split()).removesuffix(".")
