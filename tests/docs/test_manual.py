"""What a package brings besides the program is made from the program, and right."""

import re
import subprocess
import sys

from msgspec import structs

from pbm_oust.cli.main import main
from pbm_oust.store.configuration import Configuration, parse_configuration
from pbm_oust.store.limits import SETTABLE
from scripts.documents.command_line import leaves
from scripts.documents.manual import commented_configuration, manual_page, page_of_keys
from scripts.documents.rooms import ROOT


def test_the_commented_configuration_sets_nothing() -> None:
    assert parse_configuration(commented_configuration()) == Configuration()


def test_without_its_marks_the_commented_configuration_has_every_key_with_its_usual_value() -> None:
    text = re.sub(r"^#(?! )", "", commented_configuration(), flags=re.MULTILINE)
    found = parse_configuration(text)
    assert structs.replace(found, limits=Configuration().limits) == Configuration()
    assert found.limits.chosen == {counted: counted.most for counted in SETTABLE.values()}
    keys = [field.name for field in structs.fields(Configuration) if field.name != "limits"]
    assert re.findall(r"^(\w+) =", text, re.MULTILINE) == [*keys, *SETTABLE]


def test_the_manual_page_has_every_command_and_nothing_that_troff_takes_for_its_own() -> None:
    page = manual_page()
    sections = re.findall(r"^\.SS (.*)$", page, re.MULTILINE)
    names = [" ".join(path) for path, _ in leaves(main)]
    assert [section.split(" [")[0] for section in sections] == names
    assert set(re.findall(r"^[.'](\w*)", page, re.MULTILINE)) == {"TH", "SH", "SS", "PP", "TP", "B"}
    wanted = {"FILES", "ENVIRONMENT", "EXIT STATUS", "EXAMPLES", "SEE ALSO"}
    assert wanted <= set(re.findall(r"^\.SH (.*)$", page, re.MULTILINE))


def test_the_page_of_the_configuration_has_every_key_and_limit() -> None:
    page = page_of_keys()
    keys = {field.name for field in structs.fields(Configuration)} - {"limits"}
    assert set(re.findall(r"^\.B (\w+) = ", page, re.MULTILINE)) == {*keys, *SETTABLE}


def test_manuals_are_those_of_the_home_of_the_package() -> None:
    """In a process of their own, as they change what the help says."""
    script = "from scripts.documents.manual import files; print(dict(files())['pbm-oust.1'])"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert "[default: /var/lib/pbm_oust]" in done.stdout
