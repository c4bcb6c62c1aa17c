"""Each test is run for each kind, and some in each language."""

from collections.abc import Callable
from functools import cache

import pytest

from pbm_oust.languages import LANGUAGES, Language
from pbm_oust.rules import KINDS, Kind
from tests.support.kinds import Chance, shortest_game
from tests.support.match import Told, play_by_mail

ByMail = Callable[[Chance, Language], list[Told]]
"""Plays a game by mail in a language, once in a run: the shortest of a kind from its challenge."""


@pytest.fixture(params=KINDS.values(), ids=list(KINDS))
def kind(request: pytest.FixtureRequest) -> Kind:
    kind = request.param
    assert isinstance(kind, Kind)
    return kind


@pytest.fixture(params=LANGUAGES.values(), ids=str)
def language(request: pytest.FixtureRequest) -> Language:
    language = request.param
    assert isinstance(language, Language)
    return language


@pytest.fixture(scope="session")
def by_mail(tmp_path_factory: pytest.TempPathFactory) -> ByMail:
    @cache
    def by_mail(chance: Chance, language: Language) -> list[Told]:
        whole = chance == shortest_game(chance.kind)
        return play_by_mail(tmp_path_factory.mktemp("home"), chance, language, whole=whole)

    return by_mail
