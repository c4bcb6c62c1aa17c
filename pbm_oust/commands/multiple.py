"""The command that carries out those in the text of the mail, one a line."""

from dataclasses import dataclass

from pbm_oust.grammar.form import Form


@dataclass(frozen=True, slots=True)
class Multiple:
    """Carry out the lines of the text, up to the first that is refused."""


FORMS = (Form("multiple", Multiple, is_of_kind=False),)
