"""Limits: how often something may be done within some time, and what an operator sets. Pure."""

from collections.abc import Iterable, Mapping
from dataclasses import field
from datetime import timedelta
from enum import Enum

from pbm_oust.frozen import frozen

_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)
HIGHEST = 10**9
"""The highest limit that an operator can set."""


@frozen
class Limit:
    """How often something may be done within some time."""

    word: str
    """What it is called in the database and, if it can be set, in the configuration."""
    most: int
    within: timedelta
    is_set: bool = True
    """Whether an operator can set it."""


class Counted(Enum):
    """What is counted, and how often it may happen unless an operator sets something else."""

    MOVES = Limit("moves_an_hour", 600, _HOUR)
    """Commands of one player that prove whose they are."""
    CHALLENGES = Limit("challenges_a_day", 20, _DAY)
    """Boards that one player starts."""
    CHALLENGES_TO_ONE = Limit("challenges_to_one_player_a_day", 10, _DAY)
    """Challenges of one player to one other, to whom each of them sends a letter."""
    BOARDS = Limit("boards_a_day", 2000, _DAY)
    """Boards that all players together start."""
    MESSAGES = Limit("messages_a_day", 30, _DAY)
    """Texts that one player has passed on to others."""
    MESSAGES_TO_ONE = Limit("messages_to_one_reader_a_day", 10, _DAY)
    """Texts that one player has passed on to one other."""
    ANSWERS = Limit("answers_an_hour", 10, _HOUR)
    """Answers to mails that prove nothing, to an address that no account has."""
    HELP = Limit("help_answers_an_hour", 50, _HOUR)
    """Mails with the help that one address asked for, and nothing proves who that was."""
    ANSWERS_TO_PLAYERS = Limit("answers_to_a_player_an_hour", 100, _HOUR)
    """Answers to mails that prove nothing, to an address of an account."""
    ANSWERS_TO_SOURCE = Limit("answers_to_a_source_an_hour", 200, _HOUR)
    """Answers to mails that prove nothing, from one host or network."""
    ALL_ANSWERS = Limit("all_answers_an_hour", 2000, _HOUR)
    """Answers to mails that prove nothing."""
    CODES = Limit("codes_to_an_address_a_day", 3, _DAY)
    """Mails with a code to one address that nobody has proved, which others asked for."""
    OWN_CODES = Limit("codes_to_own_address_a_day", 3, _DAY)
    """Mails with a code to such an address that asked for them."""
    CODES_OF_ASKER = Limit("codes_for_one_asker_a_day", 10, _DAY)
    """Mails with a code that one player or one address asked for."""
    CODES_OF_SOURCE = Limit("codes_for_a_source_a_day", 15, _DAY)
    """Mails with a code that strangers of one host or network asked for."""
    ALL_CODES = Limit("all_codes_a_day", 200, _DAY)
    """Mails with a code that strangers asked for."""
    OWNER_CODES = Limit("codes_to_a_player_an_hour", 10, _HOUR)
    """Mails with a code to the addresses of one account, for one purpose, whoever asked for it."""
    OWNER_CODES_OF_ASKER = Limit("codes_to_a_player_for_one_asker_a_day", 5, _DAY)
    """Those that one host or network or, through our own mail servers, one address asked for."""
    SIGNUPS_OF_SOURCE = Limit("signups_from_a_source_a_day", 10, _DAY)
    """Accounts that one host or network asked for."""
    ALL_SIGNUPS = Limit("all_signups_a_day", 100, _DAY)
    """Accounts that were asked for."""
    WRONG_PASSWORDS = Limit("wrong_passwords_an_hour", 20, _HOUR)
    """Wrong passwords from one host or network or, through our own mail servers, one address."""
    WRONG_PASSWORDS_OF_ACCOUNT = Limit("wrong_passwords_for_a_player_an_hour", 30, _HOUR)
    """Wrong passwords for one account, before none is taken for it for a while."""
    WRONG_PASSWORDS_FOR_ONE = Limit("wrong_passwords_before_a_warning", 10, _DAY)
    """Wrong passwords for one userid, before its player is warned."""
    WRONG_LINKS = Limit("wrong_links_an_hour", 30, _HOUR)
    """Links of pages that prove nothing, from one host or network."""
    UNREADABLE_ANSWERS = Limit("unreadable_answers_an_hour", 10, _HOUR)
    """Answers to the letters of one userid that could not be read."""
    EQUAL_REFUSALS = Limit("equal_refusals_an_hour", 3, _HOUR)
    """Mails that prove nothing, from one address, with one line, refused for one reason."""
    ANSWERED_GUESSES = Limit("answers_to_wrong_passwords_an_hour", 5, _HOUR)
    """Answers to one address that say that a password was wrong, whatever else the mails said."""
    REFUSED_MAILS = Limit("refused mails", 1, _HOUR, is_set=False)
    """The same one of these mails."""
    TOLD = Limit("told of a limit", 1, _DAY, is_set=False)
    """Refusals that say that a limit is reached."""
    UNCONFIRMED = Limit("unconfirmed challenges refused", 1, _DAY, is_set=False)
    """Refusals of challenges that nothing proves, because too many wait for one userid."""
    WARNINGS = Limit("warnings", 1, _DAY, is_set=False)
    """Warnings to one player about wrong passwords."""
    SILENCES = Limit("silences", HIGHEST, _DAY, is_set=False)
    """Mails that got no answer because a limit was reached."""


LONGEST = max(counted.value.within for counted in Counted)
SETTABLE = {counted.value.word: counted for counted in Counted if counted.value.is_set}
"""What an operator can set, by its key in the configuration."""


@frozen
class Limits:
    """The limits of a server."""

    chosen: Mapping[Counted, int] = field(default_factory=dict)
    """Those that differ from the usual ones."""

    def most(self, counted: Counted) -> int:
        """Return how often something may be done."""
        return self.chosen.get(counted, counted.value.most)


USUAL_LIMITS = Limits()


def nearest_of(key: str, known: Iterable[str]) -> str:
    """Return what to say of an unknown key: the known one that is nearest, or where all are."""
    from difflib import get_close_matches

    near = get_close_matches(key.lower(), known, n=1)
    return f"; perhaps {near[0]} is meant" if near else "; docs/operate.md lists all there are"


def parse_limits(table: object) -> Limits:
    """Return the limits that a table of the configuration gives. Raises ValueError."""
    if not isinstance(table, dict):
        raise ValueError("a table of numbers is wanted, which begins with [limits]")
    for key, value in table.items():
        if key not in SETTABLE:
            raise ValueError(f"there is no limit {key}{nearest_of(key, SETTABLE)}")
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= HIGHEST:
            raise ValueError(f"{key}: a number from 0 to {HIGHEST} is wanted, as in {key} = 100")
    return Limits({SETTABLE[key]: value for key, value in table.items()})
