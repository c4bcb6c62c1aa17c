"""Looking at passwords as those do who wait for scrypt, and what it costs."""

from pbm_oust.accounts import password as of_program
from pbm_oust.accounts.password import Match, Secret
from pbm_oust.play.passwords import NotDerived, Passwords

USUAL = of_program._SCRYPT
"""The parameters of scrypt with which a server hashes passwords."""
CHEAP = (2, 8, 1)
"""Those with which tests do so. A hash has its own with it, so every process can compare it."""


def match(password: str, stored: str, known: Passwords | None = None) -> Match:
    """Look at a password, which goes through scrypt if that is needed."""
    known = known or Passwords()
    try:
        return known.match(Secret(password), stored)
    except NotDerived as needed:
        known.derive(needed.needed)
        return known.match(Secret(password), stored)
