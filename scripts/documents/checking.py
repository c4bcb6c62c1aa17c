"""Finding what a page of the documentation says wrongly.

- Links: the file exists, and has the heading after `#`.
- Headings: no two of a page have the same name, as happens when texts are joined wrongly.
- Commands by mail, as code: the table of commands reads them, or shows them as they are written.
- Commands of `pbm-oust`: the command exists, and has these options.
- Scripts: they exist, and know the options.
- Paths of files: they exist. A part in capitals stands for any name.
- Lists: each library and each key of the configuration is there, and the rooms are in their order.
"""

import configparser
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import click
from msgspec import structs

from pbm_oust.cli.main import main
from pbm_oust.store.configuration import Configuration
from pbm_oust.store.limits import SETTABLE
from scripts.documents.pages import Found, Page
from scripts.documents.players_words import fault_of_line, fault_of_span
from scripts.documents.rooms import ROOT, rooms
from scripts.documents.written import written

TOP = "pbm_oust|tests|docs|debian|scripts|templates|games|\\.ci"
_PATH = re.compile(rf"(?<![\w./-])(?:{TOP})/[\w./*-]*")
_SCRIPT = re.compile(r"(?<![\w./-])(?:\.venv/bin/python )?(scripts/\w+)((?: [^\s;|]+)*)")
_PROGRAM = re.compile(r"(?<![\w=-])(?:\S*/)?pbm-oust(?= |$)([^|;>#\n]*)")
_MADE = re.compile(r"games/(?:outbox|pbm_oust\.|key)|.*\.(?:mo|pot)$")
"""What is not committed: running or building the program makes it."""


def pages() -> list[Page]:
    """Return all pages of the documentation."""
    paths = [*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md"), *ROOT.glob("games/*.md")]
    paths += ROOT.glob("tests/**/*.md")
    return [Page(path, path.read_text()) for path in sorted(paths)]


def faults() -> Iterator[str]:
    """Yield what is wrong in all pages: file, line and fault."""
    for page in pages():
        yield from faults_of(page)
    for names, file in (
        (_libraries(), "docs/dependencies.md"),
        (_keys(), "docs/configuration.md"),
    ):
        for name in unnamed(names, (ROOT / file).read_text()):
            yield f"{file}: says nothing about {name}"
    if _ROOM.findall((ROOT / "README.md").read_text()) != rooms():
        yield f"README.md: the rooms are {' '.join(rooms())}"
    for path, text in written():
        if not path.exists() or path.read_text() != text:
            yield f"{path.relative_to(ROOT)}: is not what scripts/write_docs writes"


def faults_of(page: Page) -> Iterator[str]:
    """Yield what is wrong in a page."""
    name = page.path.relative_to(ROOT) if page.path.is_relative_to(ROOT) else page.path
    found = [(each, _fault_of_link(page, each.text)) for each in page.links()]
    seen: set[str] = set()
    for each in page.headings():
        found.append((each, f"a second heading {each.text!r}" if each.text in seen else None))
        seen.add(each.text)
    is_for_players = page.path.name == "playing.md"
    for each in page.spans():
        found += [(each, fault) for fault in _faults_of_code(each.text)]
        found.append((each, fault_of_span(each.text, is_strict=is_for_players)))
    for info, lines in page.blocks():
        for each in lines:
            found += [(each, fault) for fault in _faults_of_code(each.text)]
            found.append((each, None if info else fault_of_line(each.text)))
        found += _faults_of_map(lines)
    for each, fault in sorted(found, key=lambda pair: pair[0].line):
        if fault:
            yield f"{name}:{each.line}: {fault}"


def _fault_of_link(page: Page, target: str) -> str | None:
    if re.match(r"[a-z]+:", target):
        return None
    path, _, anchor = target.partition("#")
    file = (page.path.parent / path).resolve()
    if not file.exists():
        return f"there is no {path}"
    if anchor and anchor not in (Page(file, file.read_text()) if path else page).anchors():
        return f"{path or 'the page'} has no heading #{anchor}"
    return None


def _faults_of_code(text: str) -> list[str]:
    """Return what is wrong with the programs and the files that code names."""
    found = [_fault_of_program(match[1]) for match in _PROGRAM.finditer(text)]
    found += [_fault_of_script(match[1], match[2]) for match in _SCRIPT.finditer(text)]
    found += [_fault_of_path(match[0]) for match in _PATH.finditer(text)]
    return list(dict.fromkeys(filter(None, found)))


def _fault_of_program(arguments: str) -> str | None:
    """Return what is wrong with what follows `pbm-oust`."""
    command: click.Command = main
    names = ["pbm-oust"]
    options = _options_of(main)
    words = re.sub(r"[\[\]]", " ", re.sub(r'"[^"]*"', "TEXT", arguments)).split()
    is_value = False
    for word in words:
        if is_value:
            is_value = False
        elif word.startswith("-"):
            name, equals, _ = word.partition("=")
            if name not in options:
                return f"{' '.join(names)} has no option {name}"
            is_value = options[name] and not equals
        elif isinstance(command, click.Group) and word.isupper():
            return None
        elif isinstance(command, click.Group):
            try:
                _, known, _ = command.resolve_command(click.Context(command), [word])
            except click.UsageError:
                return f"there is no command {' '.join([*names, word])}"
            assert known
            command = known
            names.append(word)
            options |= _options_of(command)
    return None


def _options_of(command: click.Command) -> dict[str, bool]:
    """Return the options of a command, and whether each takes a value."""
    found = {"--help": False, "-h": False, "--version": False}
    for option in command.params:
        if isinstance(option, click.Option):
            takes = not (option.is_flag or option.count)
            found |= dict.fromkeys([*option.opts, *option.secondary_opts], takes)
    return found


def _fault_of_script(script: str, arguments: str) -> str | None:
    path = ROOT / script
    if not path.is_file():
        return f"there is no {script}"
    text = path.read_text()
    for word in arguments.split():
        name = word.strip("[]()").partition("=")[0]
        if name.startswith("--") and name not in text:
            return f"{script} has no option {name}"
    return None


def _fault_of_path(path: str) -> str | None:
    plain = path.rstrip(".")
    if _MADE.match(plain) or (ROOT / plain).exists():
        return None
    pattern = "/".join("*" if part.isupper() else part for part in plain.split("/"))
    pattern = re.sub(r"(?<![A-Za-z0-9])[A-Z]{2,}(?=\.)", "*", pattern).rstrip("/")
    return None if any(ROOT.glob(pattern)) else f"there is no {path}"


_ENTRY = re.compile(r"( *)([\w.]+/?) {2,}\S")
_ROOM = re.compile(r"^  ([\w.]+/?) {2,}\S", re.MULTILINE)
"""A room in the map of the program: one step in."""


def _faults_of_map(lines: list[Found]) -> Iterator[tuple[Found, str | None]]:
    """Yield what is wrong with a block that lists folders with their contents below them."""
    if not lines or not re.match(rf"(?:{TOP})/ {{2,}}\S", lines[0].text):
        return
    above: list[tuple[int, Path]] = [(-1, ROOT)]
    for each in lines:
        entry = _ENTRY.match(each.text)
        if not entry:
            continue
        while above[-1][0] >= len(entry[1]):
            above.pop()
        path = above[-1][1] / entry[2]
        is_folder = entry[2].endswith("/")
        if not (path.is_dir() if is_folder else path.is_file()):
            yield each, f"there is no {path.relative_to(ROOT)}"
        above.append((len(entry[1]), path))


def unnamed(names: Iterable[str], text: str) -> list[str]:
    """Return the names that a text does not hold as whole words."""
    return [name for name in names if not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)]


def _libraries() -> Iterator[str]:
    """Yield the libraries that the program and its tests need."""
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    lines = setup["options"]["install_requires"] + setup["options.extras_require"]["test"]
    for line in filter(None, lines.split("\n")):
        yield re.split(r"[ <>=;\[]", line.strip())[0]


def _keys() -> Iterator[str]:
    """Yield the keys of the configuration as the page writes them."""
    for field in structs.fields(Configuration):
        yield f"`{field.name}`"
    for limit in SETTABLE:
        yield f"`{limit}`"
