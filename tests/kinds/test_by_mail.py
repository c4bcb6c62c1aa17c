"""Games of a kind by mail: every letter, in every language."""

import re
from pathlib import Path

from pbm_oust.board.formats import parse_any
from pbm_oust.board.record import Placement
from pbm_oust.board.sheet import format_moves
from pbm_oust.languages import ENGLISH, Language, WordList
from pbm_oust.render.text import board_text
from pbm_oust.rules import Kind, Side
from pbm_oust.service.table import is_of_letter, playing_again
from tests.kinds.conftest import ByMail
from tests.support.home_by_mail import ALICE, BOB, PASSWORDS
from tests.support.kinds import (
    Chance,
    faults_of,
    game_with_pass,
    short_games,
    shortest_game,
    small_grids,
)
from tests.support.letters import attached, sentences
from tests.support.match import PLAYERS, Told, begin, option, send
from tests.support.outbox import Letter
from tests.support.pages import Page, rows_of_text, stones_in

WIDEST = 75
NO_PLACEMENT_LEFT = "No placement was left after that"


def told_of(kind: Kind, language: Language, by_mail: ByMail) -> list[Told]:
    """Return all that is told of short games of a kind, one for each result."""
    return [told for game in short_games(kind).values() for told in by_mail(game, language)]


def board_in(told: Told) -> str:
    return board_text(told.game.position, told.game.latest_stones())


def behind_the_board(told: Told, letter: Letter) -> str:
    """Return the paragraph that follows the board."""
    _, _, rest = letter.text.partition(board_in(told))
    return " ".join(rest.strip("\n").split("\n\n")[0].split())


# Letters about boards


def test_both_players_are_told_of_the_start_and_of_every_turn(
    kind: Kind, language: Language, by_mail: ByMail
) -> None:
    for told in told_of(kind, language, by_mail):
        assert {*told.letters} == {ALICE, BOB}


def test_a_game_goes_by_mail_as_its_turns_say(
    kind: Kind, language: Language, by_mail: ByMail
) -> None:
    for result, chance in short_games(kind).items():
        end = by_mail(chance, language)[-1].game
        assert end.result == result
        assert end.position == chance.game().position


def test_every_letter_shows_the_board_as_text_and_as_a_page(
    kind: Kind, language: Language, by_mail: ByMail
) -> None:
    for told in told_of(kind, language, by_mail):
        for letter in told.letters.values():
            assert f"\n{board_in(told)}\n" in letter.text
            text = rows_of_text(board_in(told), told.game.header.grid)
            assert stones_in(Page(letter.page).board) == stones_in(text)


def test_every_placement_can_be_tapped_by_the_player_to_move(
    kind: Kind, language: Language, by_mail: ByMail
) -> None:
    for told in told_of(kind, language, by_mail):
        for side, (userid, address) in PLAYERS.items():
            game = told.game
            may_move = not game.result and game.to_move is side
            taps = {tap.subject for tap in Page(told.letters[address].page).taps()}
            placements = {*game.header.grid.names(game.position.placements())}
            others = {"swap"} if game.can_swap else {"pass"} if game.must_pass else set()
            words = {in_words_of(language, word) for word in others}
            again = playing_again(game, userid) if game.result else ()
            next_game = {each.answer(language=language) for each in again}
            assert taps == (placements | words if may_move else next_game)


def in_words_of(language: Language, word: str) -> str:
    """Return the word that letters in a language show for a word of a command."""
    own = (mine for mine, english in language.words[WordList.COMMANDS].items() if english == word)
    return next(own, word)


def test_every_letter_has_a_subject_in_ascii_and_lines_that_fit(
    kind: Kind, language: Language, by_mail: ByMail
) -> None:
    for told in told_of(kind, language, by_mail):
        for letter in told.letters.values():
            assert is_of_letter(letter.subject)
            assert f"{kind.name} 1" in letter.subject
            assert letter.subject.isascii()
            assert max(map(len, letter.text.splitlines())) <= WIDEST
            assert "None" not in letter.text


def test_no_letter_in_another_language_has_a_sentence_in_english(
    kind: Kind, language: Language, by_mail: ByMail
) -> None:
    usual = said(told_of(kind, ENGLISH, by_mail))
    assert usual
    assert language is ENGLISH or not usual & said(told_of(kind, language, by_mail))


def said(about: list[Told]) -> set[str]:
    """Return the sentences of letters; boards and records are none."""
    return {
        sentence
        for told in about
        for letter in told.letters.values()
        for sentence in sentences(
            letter.text.replace(board_in(told), "").partition("\n   1 2026-")[0]
        )
    }


def test_a_turn_is_told_with_the_stones_that_it_took(kind: Kind, by_mail: ByMail) -> None:
    for told in told_of(kind, ENGLISH, by_mail):
        done = told.game.records[-1].action if told.game.records else ()
        for placement in done if isinstance(done, tuple) else ():
            assert isinstance(placement, Placement)
            words = told.letters[ALICE].words
            took = rf" \([^)]*\b{placement.took}\b[^)]*\)" if placement.took else r"(?! \()"
            assert re.search(rf"\b{placement.cell}\b{took}", words)


def test_a_turn_is_told_to_be_cut_short_only_where_a_capture_would_go_on(
    kind: Kind, by_mail: ByMail
) -> None:
    for told in told_of(kind, ENGLISH, by_mail):
        for letter in told.letters.values():
            assert kind.has_chains or NO_PLACEMENT_LEFT not in letter.words


# The end


def test_the_final_letter_says_in_words_how_the_rules_ended_the_game(
    kind: Kind, language: Language, by_mail: ByMail
) -> None:
    reasons = dict[object, set[str]]()
    for result, chance in short_games(kind).items():
        end = by_mail(chance, language)[-1]
        userid, own = PLAYERS[result.winner][:2] if result.winner else ("", "")
        for address, letter in end.letters.items():
            said = " ".join(letter.text.split("\n\n")[0].split())
            who, reason = re.split(r"(?<=\.) ", said, maxsplit=1)
            assert userid in who or own == address
            reasons.setdefault(result.how, set()).add(reason)
    assert all(len(reason) == 1 for reason in reasons.values())
    assert len({min(reason) for reason in reasons.values()}) == len(kind.endings)


def test_the_final_letter_holds_the_whole_game_for_others_to_import(
    kind: Kind, by_mail: ByMail
) -> None:
    for chance in short_games(kind).values():
        end = by_mail(chance, ENGLISH)[-1]
        letter = end.letters[BOB]
        assert format_moves(end.game) in letter.text
        (sgf,) = attached(letter.data).values()
        assert parse_any(sgf.decode()).check().game == end.game


# What is refused


def test_a_placement_against_the_rules_is_refused_with_the_rule_and_what_is_near(
    kind: Kind, language: Language, tmp_path: Path
) -> None:
    told = dict[str, set[str]]()
    for nth, (fault, (chance, turns, cell)) in enumerate(faults_of(kind).items()):
        told[fault.word] = sentences(_refused(tmp_path / f"{nth}", chance, turns, cell, language))
    usual = set.intersection(*told.values())
    assert all(said - usual for said in told.values())


def _refused(path: Path, chance: Chance, turns: int, cell: int, language: Language) -> str:
    """Return the refusal of a placement that the rules refuse after some turns."""
    talk, game, name = begin(path, language, (chance, turns)), chance.game(turns), ""
    name = game.header.grid.format_cell(cell)
    refused = send(talk, chance, f"{game.to_move.value} {name}")
    assert (talk.outcome, len(refused.game.records)) == ("refused: against_rules", turns)
    text = talk.text_to(PLAYERS[game.to_move][1])
    assert max(map(len, text.splitlines())) <= WIDEST
    assert any(near in text for near in game.header.grid.names(game.position.placements()))
    return text.replace(name, "CELL")


def test_a_cell_that_the_grid_does_not_have_is_refused(
    kind: Kind, language: Language, tmp_path: Path
) -> None:
    talk = begin(tmp_path, language, (shortest_game(kind), 0))
    send(talk, shortest_game(kind), "x Z25")
    assert talk.outcome == "refused: off_grid"
    assert "Z25" in talk.text_to(ALICE)


def test_a_pass_is_refused_while_there_are_placements(
    kind: Kind, language: Language, tmp_path: Path
) -> None:
    talk = begin(tmp_path, language, (shortest_game(kind), 0))
    told = send(talk, shortest_game(kind), "x pass")
    assert talk.outcome == "refused: may_not_pass"
    assert str(told.game.position.placements().bit_count()) in talk.letter_to(ALICE).words


def test_a_placement_after_the_end_of_the_game_is_refused(
    kind: Kind, language: Language, tmp_path: Path
) -> None:
    for nth, chance in enumerate(short_games(kind).values()):
        *turns, last = chance.turns
        talk = begin(tmp_path / f"{nth}", language, (chance, len(turns)))
        send(talk, chance, f"{last} {chance.grid.names(chance.grid.cells)[0]}")
        assert talk.outcome == "refused: after_turn"
        assert "wins" not in talk.letters[0].text


def test_a_grid_that_the_game_is_not_played_on_is_refused_with_the_reason(
    kind: Kind, language: Language, tmp_path: Path
) -> None:
    talk = begin(tmp_path, language)
    of_its_shapes = (grid for grid in small_grids() if grid.shape in kind.defaults)
    for grid in [grid for grid in of_its_shapes if not kind.plays_on(grid)][:1]:
        size = option(Chance(kind, grid, 0))
        talk.send(ALICE, f"{kind.name} challenge alice bob wonderland {size}")
        assert talk.outcome == "refused: unusable_grid"
        assert len(sentences(talk.text_to(ALICE))) > 2


# A pass


def test_a_side_that_must_pass_is_told_so_and_passes(
    kind: Kind, language: Language, tmp_path: Path
) -> None:
    chance = game_with_pass(kind)
    if chance is None:
        return
    nth = next(nth for nth, turn in enumerate(chance.turns) if turn.endswith("pass"))
    talk = begin(tmp_path, language, (chance, nth - 1))
    told = send(talk, chance, chance.turns[nth - 1])
    assert told.game.must_pass
    _, address = PLAYERS[told.game.to_move]
    taps = Page(told.letters[address].page).taps()
    assert [tap.subject for tap in taps] == [in_words_of(language, "pass")]
    passed = send(talk, chance, chance.turns[nth])
    assert passed.game.to_move is told.game.to_move.other
    assert {*passed.letters} == {ALICE, BOB}


# Answers


def test_a_game_is_played_by_answers_without_a_password(kind: Kind, tmp_path: Path) -> None:
    chance = shortest_game(kind)
    talk = begin(tmp_path, ENGLISH, (chance, 0))
    talk.send(ALICE, f"{kind.name} show 1")
    for turn in chance.turns:
        side, _, words = turn.partition(" ")
        _, address = PLAYERS[Side(side)]
        letter = talk.letter_to(address)
        talk.send(address, f"Re: {letter.subject}", words, to=str(letter["Reply-To"]))
        assert len(talk.letters) == 2, talk.outcome
    assert talk.letter_to(BOB).subject.startswith(f"{kind.name} 1: over")
    assert not any(word in talk.text_to(ALICE) for word in PASSWORDS.values())
