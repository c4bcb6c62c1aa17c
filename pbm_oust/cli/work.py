"""The unit of work for those commands of the operator that players are told about."""

from pbm_oust.cli.operator import Operator
from pbm_oust.letters.letters import Letters
from pbm_oust.play.unit_of_work import UnitOfWork


def unit_of_work(operator: Operator) -> UnitOfWork:
    """Return a unit of work on the home, whose notices become letters."""
    home = operator.prepared_home()
    configuration = operator.configuration
    letters = Letters(configuration.address, home.now, home.key, configuration.web_address)
    return UnitOfWork(home, letters.write, home.now)
