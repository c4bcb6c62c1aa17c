"""What runs a command takes the values that its form reads."""

import inspect

import pytest

from pbm_oust.play.unit_of_work import ForCode, ForEither, ForLines, ForPlayer
from pbm_oust.service.table import FORMS, AnyForm


@pytest.mark.parametrize("form", FORMS, ids=lambda form: str(form.name))
def test_what_runs_a_command_takes_the_values_that_its_form_reads(form: AnyForm) -> None:
    run, proved, beside = form.run, set[str](), 1
    if isinstance(run, ForLines):
        return
    if isinstance(run, ForPlayer):
        proved = {"userid", "password"}
    elif isinstance(run, ForEither):
        proved = {"password"}
    elif isinstance(run, ForCode):
        beside = 3
    signature = inspect.signature(run.header if isinstance(run, ForEither) else run.run)
    given = {name: None for name in form.names if name not in proved}
    signature.bind(*[None] * beside, **given)
    for option in form.options:
        signature.bind(*[None] * beside, **given, **{option.sets: None})
