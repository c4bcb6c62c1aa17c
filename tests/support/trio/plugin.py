"""Makes Trio known to the program: `pytest -p tests.support.trio.plugin`.

It does for a game from elsewhere what the line in the registry, the template and the messages do
for one of ours. It must come before all modules that read the registry.
"""

from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po

from pbm_oust.rules import KINDS
from tests.support.trio.rules import KIND

HERE = Path(__file__).parent

_compiled = TemporaryDirectory(prefix="trio-")
"""Where the catalogues are until the tests are done."""


def _compile(source: Path, target: Path) -> None:
    """Make the catalogues of all languages in which a folder has messages."""
    for messages in source.rglob("*.po"):
        catalogue = target / messages.relative_to(source).with_suffix(".mo")
        catalogue.parent.mkdir(parents=True)
        with messages.open("rb") as read, catalogue.open("wb") as written:
            write_mo(written, read_po(read))


KINDS[KIND.name] = KIND
_compile(HERE / "languages", Path(_compiled.name))
for package, folder in (("templates", str(HERE / "templates")), ("languages", _compiled.name)):
    import_module(f"pbm_oust.{package}").__path__.append(folder)
