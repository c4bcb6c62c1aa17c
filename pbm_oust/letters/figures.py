"""The figures that templates name: limits, times and other constants from all over the program."""

from datetime import timedelta

from pbm_oust.accounts import clock
from pbm_oust.accounts.account import LONGEST_NOTE, MOST_BROADCASTS, MOST_WATCHED
from pbm_oust.accounts.address import MOST_ADDRESSES
from pbm_oust.accounts.digest import HOUR
from pbm_oust.accounts.seeks import LIFETIME as LIFETIME_OF_SEEKS
from pbm_oust.accounts.seeks import MOST_SEEKS
from pbm_oust.accounts.status import placeholder
from pbm_oust.accounts.vacations import ALLOWANCE
from pbm_oust.accounts.verification import LIFETIME as LIFETIME_OF_CODES
from pbm_oust.accounts.verification import SIGN_IN_LIFETIME
from pbm_oust.board import ratings
from pbm_oust.board.header import Terms
from pbm_oust.board.notation import LONGEST_USERID
from pbm_oust.commands.challenge import LONGEST_TIME
from pbm_oust.commands.lists import LATE
from pbm_oust.commands.multiple import MOST_LINES
from pbm_oust.grammar.passwords import LONGEST_PASSWORD
from pbm_oust.grammar.words import SHORTEST_PASSWORD
from pbm_oust.play.room import MOST_LISTED
from pbm_oust.rules.grid import LONGEST
from pbm_oust.store.message_keys import MEMORY

FIGURES: dict[str, object] = {
    "seek_days": LIFETIME_OF_SEEKS.days,
    "most_seeks": MOST_SEEKS,
    "most_lines": MOST_LINES,
    "most_listed": MOST_LISTED,
    "rating": ratings,
    "shortest_password": SHORTEST_PASSWORD,
    "longest_password": LONGEST_PASSWORD,
    "longest_side": LONGEST,
    "longest_time": LONGEST_TIME,
    "longest_userid": LONGEST_USERID,
    "most_addresses": MOST_ADDRESSES,
    "clocks": clock,
    "usual_terms": Terms(),
    "vacation_days": ALLOWANCE,
    "digest_hour": HOUR,
    "longest_note": LONGEST_NOTE,
    "most_watched": MOST_WATCHED,
    "most_broadcasts": MOST_BROADCASTS,
    "placeholder": placeholder(1),
    "code_days": LIFETIME_OF_CODES.days,
    "sign_in_minutes": SIGN_IN_LIFETIME // timedelta(minutes=1),
    "listed_days": LATE.days,
    "kept_days": MEMORY.days,
}
"""The figures by the names that the templates use."""
