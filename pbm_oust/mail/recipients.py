"""Which recipients a mail may have."""

from pbm_oust.accounts.address import is_same_address
from pbm_oust.accounts.tags import without_tokens
from pbm_oust.grammar.words import MASK


def takes(address: str, own: str) -> bool:
    """Return whether mail to an address is for us: to our address, with or without a +tag."""
    return is_same_address(address, own)


def not_ours(address: str, own: str) -> str:
    """Return why mail to an address is not taken."""
    return f"{without_tokens(address, MASK)} is not {own}"
