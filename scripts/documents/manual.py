"""What a packaged program brings besides itself: manual pages, a configuration, completion.

They are made from the help of the commands, from what docs/configuration.md says of each key, and
by click, for the home of the package.
"""

import re
import textwrap
from collections.abc import Iterator, Mapping

import click
from click.shell_completion import get_completion_class
from msgspec import structs

from pbm_oust import __version__
from pbm_oust.cli.main import main, set_home
from pbm_oust.store.configuration import Configuration, Endpoint
from pbm_oust.store.limits import SETTABLE, USUAL_LIMITS
from scripts.documents.command_line import leaves
from scripts.documents.configuration import PAGE, said_in

PROGRAM, CONFIGURATION = "pbm-oust", "pbm_oust.toml"
HOME = "/var/lib/pbm_oust"
"""The home of Debian's package."""
DOCS = "/usr/share/doc/pbm-oust/docs"
SECTIONS: Mapping[str, Mapping[str, str]] = {
    "FILES": {
        HOME: "The home: everything that the server knows.",
        f"{HOME}/key": "The secret by which answers to letters are known. Keep it to yourself.",
        f"{HOME}/outbox": "The letters, as a Maildir, if there is no relay.",
        f"{HOME}.before": "The home as it was before upgrades. Remove what you need no more.",
        f"/etc/{CONFIGURATION}": f"The configuration; {HOME}/{CONFIGURATION} takes its place.",
        "/var/backups/pbm_oust": "The backups of each night.",
    },
    "ENVIRONMENT": {
        "PBM_OUST_HOME": "The home, if --home names none.",
        "NO_COLOR": "If it is not empty, nothing is printed in colours.",
    },
    "EXIT STATUS": {
        "0": "It is done.",
        "1": "It was refused, and nothing has changed; or a check has found something.",
        "2": "The words or the configuration are wrong, or a port is taken.",
        "130": "Ctrl-C has ended it.",
        "deliver": "64 to 78 as in sysexits.h; with 75 the mail server is to try again.",
    },
    "EXAMPLES": {
        f"{PROGRAM} doctor": "Says what is wrong with the home, and what to do.",
        f"{PROGRAM} doctor --mail pbmserv@games.example.org": "Sends a letter to the server "
        "itself, and says whether it comes.",
        f"{PROGRAM} players add alice alice@example.org": "Adds an account.",
        f"{PROGRAM} games list": "Lists the boards.",
        f"{PROGRAM} backup /var/backups/pbm_oust/today": "Copies the home while it is in use.",
    },
}
"""What the manual page has besides the commands: names and what they are."""
_OF_FILE = (
    "It is TOML. Each key has a default, which is shown here. systemctl reload pbm_oust makes the "
    "server read it again. Options of serve override it."
)
_OF_LIMITS = "They are in a table [limits]. 0 allows nothing."


def files() -> Iterator[tuple[str, str]]:
    """Yield the name and the text of each file."""
    set_home(HOME)
    yield f"{PROGRAM}.1", manual_page()
    yield f"{CONFIGURATION}.5", page_of_keys()
    yield CONFIGURATION, commented_configuration()
    for shell in ("bash", "zsh", "fish"):
        yield f"completion.{shell}", completion(shell)


def manual_page() -> str:
    """Return the manual page of all commands, in the macros of man(7)."""
    parts = [
        _title(PROGRAM, 1),
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
    parts += (f".SH {name}\n{_listed(rows)}" for name, rows in SECTIONS.items())
    return "\n".join(filter(None, [*parts, _see_also(f"{CONFIGURATION}(5)")])) + "\n"


def page_of_keys() -> str:
    """Return the manual page of the configuration, with every key, in the macros of man(7)."""
    said, usual = _said(), Configuration()
    keys = {
        f"{field.name} = {_written(field.name, getattr(usual, field.name))}": said[field.name]
        for field in structs.fields(Configuration)
        if field.name != "limits"
    }
    limits = {
        f"{word} = {USUAL_LIMITS.most(counted)}": said[word] for word, counted in SETTABLE.items()
    }
    parts = (
        _title(CONFIGURATION, 5),
        f".SH NAME\n{CONFIGURATION} \\- the configuration of {_plain(PROGRAM)}",
        f".SH SYNOPSIS\n.B /etc/{CONFIGURATION}\n.PP\n.B {HOME}/{CONFIGURATION}",
        f".SH DESCRIPTION\n{_plain(_OF_FILE)}\n.SH KEYS\n{_listed(keys)}",
        f".SH LIMITS\n{_plain(_OF_LIMITS)}\n{_listed(limits)}",
        _see_also(f"{PROGRAM}(1)"),
    )
    return "\n".join(parts) + "\n"


def _title(name: str, section: int) -> str:
    return f'.TH {_plain(name.upper())} {section} "" "pbm_oust {__version__}"'


def _listed(rows: Mapping[str, str]) -> str:
    return "\n".join(f".TP\n.B {_plain(name)}\n{_plain(text)}" for name, text in rows.items())


def _see_also(*pages: str) -> str:
    return f".SH SEE ALSO\n{_plain(', '.join([*pages, 'systemctl(1)', 'postfix(1)', DOCS]))}"


def _options(command: click.Command) -> str:
    context = click.Context(command)
    records = filter(None, (each.get_help_record(context) for each in command.params))
    return "\n".join(f".TP\n.B {_plain(names)}\n{_plain(text)}" for names, text in records if text)


def _paragraphs(text: str) -> str:
    paragraphs = re.split(r"\n\n+", textwrap.dedent(text).strip())
    return "\n.PP\n".join(_plain(" ".join(each.split())) for each in paragraphs)


def _plain(text: str) -> str:
    """Return text that stays as it is in a manual page."""
    for character, written in (("\\", r"\e"), ("-", r"\-"), ('"', r"\(dq")):
        text = text.replace(character, written)
    return re.sub(r"^([.'])", r"\\&\1", text)


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
