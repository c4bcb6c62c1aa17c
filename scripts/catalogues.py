"""Compiles the messages of each language to catalogues when pbm_oust is built.

Run by itself, it compiles them in place, for an editable install.
"""

from collections.abc import Iterator
from pathlib import Path

from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po
from setuptools.command.build_py import build_py

ROOT = Path(__file__).parent.parent
LANGUAGES = Path("pbm_oust/languages")


def sources(root: Path) -> Iterator[Path]:
    """Yield the paths of all messages below a folder, relative to it."""
    for path in sorted((root / LANGUAGES).glob("*/LC_MESSAGES/*.po")):
        yield path.relative_to(root)


def compile_into(target: Path, root: Path) -> list[Path]:
    """Write the catalogue of each language below `target`, and return their paths."""
    made = []
    for path in sources(root):
        with (root / path).open("rb") as file:
            catalogue = read_po(file, locale=path.parts[-3], abort_invalid=True)
        compiled = (target / path).with_suffix(".mo")
        compiled.parent.mkdir(parents=True, exist_ok=True)
        with compiled.open("wb") as file:
            write_mo(file, catalogue)
        made.append(compiled)
    return made


class BuildPy(build_py):
    """Copies the packages and compiles the messages; in an editable install, in place."""

    def run(self) -> None:
        """Do that."""
        super().run()
        self._made = compile_into(ROOT if self.editable_mode else Path(self.build_lib), ROOT)

    def get_outputs(self, include_bytecode: bool = True) -> list[str]:
        """Return what is built."""
        outputs = super().get_outputs(include_bytecode)
        return outputs if self.editable_mode else [*outputs, *map(str, self._made)]


if __name__ == "__main__":
    compile_into(ROOT, ROOT)
