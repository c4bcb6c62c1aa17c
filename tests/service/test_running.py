"""What runs a command takes the values that its form reads."""

import inspect

import pytest

from pbm_oust.play.unit_of_work import ForAnybody, ForEither, ForPlayer
from pbm_oust.service.table import FORMS, AnyForm


@pytest.mark.parametrize("form", FORMS, ids=lambda form: str(form.name))
def test_what_runs_a_command_takes_the_values_that_its_form_reads(form: AnyForm) -> None:
    run, proved = form.run, set[str]()
    if isinstance(run, ForPlayer):
        proved = {"userid", "password"}
    elif isinstance(run, ForEither):
        proved = {"password"}
    beside = 1 if isinstance(run, ForAnybody) and not run.takes_service else 2
    signature = inspect.signature(run.header if isinstance(run, ForEither) else run.run)
    given = {name: None for name in form.names if name not in proved}
    signature.bind(*[None] * beside, **given)
    for option in form.options:
        signature.bind(*[None] * beside, **given, **{option.sets: None})
