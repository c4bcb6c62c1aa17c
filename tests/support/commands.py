"""Commands by the names of their forms."""

from pbm_oust.grammar.form import Command
from pbm_oust.service.table import form_named


def command(name: str, **given: object) -> Command:
    """Return a command with these values."""
    return form_named(name).command(**given)


def sure(name: str, read: object) -> Command:
    """Return what was read, which is a command of the form with this name."""
    assert isinstance(read, Command), read
    assert read.form.name == name
    return read
