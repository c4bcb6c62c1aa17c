"""Looking at passwords as those do who wait for scrypt."""

from pbm_oust.accounts.password import Match, Secret
from pbm_oust.play.passwords import NotDerived, Passwords


def match(password: str, stored: str, known: Passwords | None = None) -> Match:
    """Look at a password, which goes through scrypt if that is needed."""
    known = known or Passwords()
    try:
        return known.match(Secret(password), stored)
    except NotDerived as needed:
        known.derive(needed.needed)
        return known.match(Secret(password), stored)
