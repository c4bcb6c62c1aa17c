"""What a packaged program brings besides itself: a manual page, a configuration, completion.

They are made from the help of the commands, from what docs/configuration.md says of each key, and
by click.
"""

import re
import textwrap
from collections.abc import Iterator

import click
from click.shell_completion import get_completion_class
from msgspec import structs

from pbm_oust import __version__
from pbm_oust.cli.main import main
from pbm_oust.store.configuration import Configuration, Endpoint
from pbm_oust.store.limits import SETTABLE, USUAL_LIMITS
from scripts.documents.command_line import leaves
from scripts.documents.configuration import PAGE, said_in

PROGRAM = "pbm-oust"


def files() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each file."""
    yield f"{PROGRAM}.1", manual_page()
    yield "pbm_oust.toml", commented_configuration()
    for shell in ("bash", "zsh", "fish"):
        yield f"completion.{shell}", completion(shell)


def manual_page() -> str:
    """Return the manual page of all commands, in the macros of man(7)."""
    parts = [
        f'.TH {PROGRAM.upper()} 1 "" "pbm_oust {__version__}"',
        f".SH NAME\n{_plain(PROGRAM)} \\- run and look after a play-by-email server",
        f".SH SYNOPSIS\n.B {_plain(PROGRAM)}\n[\\fIOPTIONS\\fR] \\fICOMMAND\\fR ..",
        f".SH DESCRIPTION\n{_paragraphs(main.help or '')}\n.PP\n{_plain(main.epilog or '')}",
        f".SH OPTIONS\n{_options(main)}",
        ".SH COMMANDS",
    ]
    for path, command in leaves(main):
        usage = " ".join([*path, *command.collect_usage_pieces(click.Context(command))])
        parts.append(f".SS {_plain(usage)}\n{_paragraphs(command.help or '')}")
        parts.append(_options(command))
    return "\n".join(filter(None, parts)) + "\n"


def _options(command: click.Command) -> str:
    context = click.Context(command)
    records = filter(None, (each.get_help_record(context) for each in command.params))
    return "\n".join(f".TP\n.B {_plain(names)}\n{_plain(text)}" for names, text in records if text)


def _paragraphs(text: str) -> str:
    paragraphs = re.split(r"\n\n+", textwrap.dedent(text).strip())
    return "\n.PP\n".join(_plain(" ".join(each.split())) for each in paragraphs)


def _plain(text: str) -> str:
    """Return text that stays as it is in a manual page."""
    return re.sub(r"^([.'])", r"\\&\1", text.replace("\\", r"\e").replace("-", r"\-"))


def commented_configuration() -> str:
    """Return a configuration with every key, its usual value and what it is, as comments alone."""
    said, usual = _said(), Configuration()
    parts = [
        "# The configuration of pbm_oust: the usual values. To change one, remove the #.\n"
        "# Then:  systemctl reload pbm_oust\n"
    ]
    for field in structs.fields(Configuration):
        if field.name != "limits":
            value = _written(field.name, getattr(usual, field.name))
            parts.append(f"{_comment(said[field.name])}#{field.name} = {value}\n")
    parts.append("# How often things may be done; 0 allows nothing.\n#[limits]\n")
    for word, counted in SETTABLE.items():
        parts.append(f"{_comment(said[word])}#{word} = {USUAL_LIMITS.most(counted)}\n")
    return "\n".join(parts)


def _said() -> dict[str, str]:
    """Return what the documentation says of each key, as plain text."""
    return {
        key: re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text).replace("`", "").replace("\\|", "|")
        for key, text in said_in(PAGE.read_text()).items()
    }


def _comment(text: str) -> str:
    return "".join(f"# {line}\n" for line in textwrap.wrap(text, 98))


def _written(key: str, value: object) -> str:
    """Return a value as TOML."""
    match value:
        case bool():
            return str(value).lower()
        case int():
            return str(value)
        case Endpoint():
            return f'"{"smtp://" if key == "relay" else ""}{value}"'
        case None | ():
            return '""'
        case _:
            return f'"{getattr(value, "value", value)}"'


def completion(shell: str) -> str:
    """Return what lets a shell complete commands."""
    made = get_completion_class(shell)
    assert made
    variable = f"_{PROGRAM.replace('-', '_').upper()}_COMPLETE"
    return made(main, {}, PROGRAM, variable).source()
