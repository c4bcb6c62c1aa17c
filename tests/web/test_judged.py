"""The page of a game that is over shows what a search says about it; of a game in play, nothing."""

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, cast

import pytest
from lxml import html

from pbm_oust.board import Game, Wish
from pbm_oust.render.svg import CURVE_HEIGHT
from pbm_oust.robot.analysis import Analysis, Evaluation
from pbm_oust.rules import KINDS
from pbm_oust.store.analyses import keep
from pbm_oust.store.home import Home
from pbm_oust.store.open_boards import read_game
from tests.support import tables
from tests.support.games import wish
from tests.support.histories import lay_histories
from tests.support.home_by_mail import ALICE, BOB, home_of
from tests.support.website import Website

tabled = tables.tabled(__file__)

MAILS = tables.of(__file__)["mails"]
HOUR = timedelta(hours=1)
"""How old the boards are, so that nothing the pages say of their clocks changes meanwhile."""


def evaluation(rate: float, *line: str, is_certain: bool = False) -> Evaluation:
    wishes: tuple[Wish, ...] = tuple(map(wish, line))
    return Evaluation(rate, is_certain, wishes)


VERDICTS = (
    evaluation(0.52, "D1", "swap"),
    evaluation(0.71, "swap", "A1"),
    evaluation(0.71, "A1"),
    evaluation(0.74, "B7", "C1"),
    evaluation(0, "E1", is_certain=True),
    evaluation(0, "E1", is_certain=True),
)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    """A home with board 1, which is over, and board 2, which goes on."""
    return home_of(tmp_path / "home", ALICE, BOB, mails=MAILS, at=datetime.now(UTC) - HOUR)


def analyse(home: Home, *evaluations: Evaluation, board: int = 1) -> Game:
    """Keep what a search would say about a board."""
    game = read_game(home, KINDS["oust"], board)
    home.do(keep, game, Analysis.of(game, 1, evaluations))
    return game


def found(page: str, path: str) -> list[Any]:
    """Return the elements of a page at a path."""
    return cast(list[Any], html.fromstring(page).xpath(path))


def words(element: Any) -> str:
    labels = (str(each) for each in element.xpath(".//*[@role='img' and not(text())]/@title"))
    return " ".join([*labels, *element.text_content().split()])


def moves(page: str) -> list[list[str]]:
    """Return what the list of moves says, row by row."""
    rows = found(page, '//table[@id="records"]//tr')
    return [[words(cell) for cell in row] for row in rows]


def analysis(page: str) -> str:
    """Return what a page says about the analysis."""
    (part,) = found(page, '//*[@id="analysis"]')
    return words(part)


def test_each_move_has_its_rate_and_turning_points_are_marked(home: Home, pages: Website) -> None:
    analyse(home, *VERDICTS)
    page = pages.get("/oust/1").text
    assert moves(page) == [
        ["#", "blue", "white"],
        ["1.", "D4 71% !", "swap 71%, A1 74%"],
        ["2.", "F6 lost !", "resign lost"],
    ]
    assert page.count('role="img" aria-label="turning point"') == 2


def test_a_curve_has_a_point_for_each_position_and_rings_where_it_turned(
    home: Home, pages: Website
) -> None:
    analyse(home, *VERDICTS)
    (curve,) = found(pages.get("/oust/1/3").text, '//figure/*[@class="curve"]')
    (line,) = curve.xpath("./polyline")
    places = [tuple(map(float, each.split(","))) for each in line.get("points").split()]
    assert len(places) == len(VERDICTS)
    assert [y < CURVE_HEIGHT / 2 for _, y in places] == [each.x_wins > 0.5 for each in VERDICTS]
    *rings, dot = [
        (float(each.get("cx")), float(each.get("cy"))) for each in curve.xpath("./circle")
    ]
    assert rings == [places[1], places[4]]
    assert dot == places[3]
    assert curve.get("aria-hidden") == "true"


def test_a_curve_leads_to_each_position_by_links_and_by_no_key(home: Home, pages: Website) -> None:
    analyse(home, *VERDICTS)
    (curve,) = found(pages.get("/oust/1/3").text, '//figure/*[@class="curve"]')
    links = curve.xpath(".//a")
    assert [each.get("href") for each in links] == [
        *(f"/oust/1/{number}" for number in range(5)), "/oust/1",
    ]  # fmt: skip
    assert {each.get("tabindex") for each in links} == {"-1"}
    (line,) = curve.xpath("./polyline")
    for link, point in zip(links, line.get("points").split(), strict=True):
        (area,) = link.xpath("./rect")
        left, width = float(area.get("x")), float(area.get("width"))
        assert left < float(point.partition(",")[0]) < left + width


def test_words_say_what_the_curve_shows(home: Home, pages: Website) -> None:
    analyse(home, *VERDICTS)
    said = analysis(pages.get("/oust/1").text)
    assert "How likely blue was to win: 52% at the start, lost at the end." in said
    assert (
        "These moves turned the game most. Dashes are around what would have been better:" in said
    )


def test_each_turning_point_has_its_reasons_and_a_line_to_step_through(
    home: Home, pages: Website
) -> None:
    analyse(home, *VERDICTS)
    page = pages.get("/oust/1").text
    first, fourth = found(page, '//*[@id="analysis"]/ul/li')
    boards = [each.xpath(".//*[@class='board']") for each in (first, fourth)]
    pointed = [board.xpath("./desc")[0].text for (board,) in boards]
    assert ["Pointed out: " in each for each in pointed] == [True, True]
    assert pointed[1].endswith("Pointed out: B7")
    for (board,) in boards:
        board.getparent().drop_tree()
    assert words(first) == (
        "1. alice: D4. Chance of winning: 48% before, 29% after. "
        "This first stone is so good that bob did best to take it over. Better was D1 swap."
    )
    assert words(fourth) == (
        "4. bob: F6. Chance of winning: 74% before, 0% after. "
        "The best answer to it is E1. From then on the game was lost for certain. Better was B7 C1."
    )
    links = [[each.get("href") for each in point.iter("a")] for point in (first, fourth)]
    assert links == [
        ["/oust/1/0/explore/D1"],
        ["/oust/1/3/explore/B7,C1?at=1"],
    ]
    stepping = pages.get(links[1][0]).text
    assert moves(stepping)[1:] == [["1.", "B7", "C1"]]
    assert 'aria-current="step">B7' in stepping


@tabled("path", "said")
def test_each_position_has_its_rate_and_how_to_go_on(
    path: str, said: str, home: Home, pages: Website
) -> None:
    analyse(home, *VERDICTS)
    assert said in analysis(pages.get(path).text)


def test_what_is_certain_is_said_so(home: Home, pages: Website) -> None:
    ends = [evaluation(rate, is_certain=True) for rate in (1, 0.5)]
    analyse(home, *VERDICTS[:4], *ends)
    assert "blue has won for certain." in analysis(pages.get("/oust/1/4").text)
    assert "the game is a draw for certain." in analysis(pages.get("/oust/1").text)
    assert moves(pages.get("/oust/1").text)[-1] == ["2.", "F6 won !", "resign draw"]


def test_what_would_have_been_best_is_explored_up_to_a_swap(home: Home, pages: Website) -> None:
    analyse(home, *VERDICTS)
    start, third = (pages.get(f"/oust/1/{number}/explore").text for number in (0, 3))
    assert "At this point, blue is 52% likely to win." in words(html.fromstring(start))
    assert 'href="/oust/1/0/explore/D1">What would have been best' in start
    assert 'href="/oust/1/3/explore/B7,C1">What would have been best' in third
    first = pages.get("/oust/1/1/explore").text
    assert "At this point" in first
    assert "What would have been best" not in first
    assert "At this point" not in pages.get("/oust/1/0/explore/D1").text


def test_it_speaks_french(home: Home, pages: Website) -> None:
    analyse(home, *VERDICTS)
    page = pages.get("/oust/1/3", accept_language="fr").text
    assert "Bleu a 74 % de chances de gagner. La meilleure suite : B7 C1." in analysis(page)
    assert "Bleu a 74\u00a0% de" in page
    assert moves(page)[1][1] == "D4 71 % !"
    assert moves(page)[2][1] == "F6 perdu !"


def test_it_is_there_as_soon_as_a_game_has_been_analysed(home: Home, pages: Website) -> None:
    for _ in range(2):
        assert analysis(pages.get("/oust/1").text) == ""
        assert "%" not in str(moves(pages.get("/oust/1").text))
    analyse(home, *VERDICTS)
    assert analysis(pages.get("/oust/1").text)


def test_a_game_in_play_shows_nothing_even_if_somebody_has_analysed_it(
    home: Home, pages: Website
) -> None:
    analyse(home, *VERDICTS)
    before = pages.get("/oust/2").text
    analyse(home, evaluation(0.5, "D1"), evaluation(0.71, "swap"), board=2)
    after = pages.get("/oust/2").text
    assert after == before
    assert analysis(after) == ""
    assert "%" not in str(moves(after))


def test_what_was_said_of_another_history_is_not_shown(home: Home, pages: Website) -> None:
    analyse(home, *VERDICTS)
    history = home.path / "oust" / "1.txt"
    lay_histories(home, {1: history.read_text().replace(" A1 ", " B1 ")})
    page = pages.get("/oust/1").text
    assert moves(page)[1] == ["1.", "D4", "swap, B1"]
    assert analysis(page) == ""
