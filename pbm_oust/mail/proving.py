"""The address that a mail with a code is answered to: `LOCAL+verify.CODE@HOST`."""

from pbm_oust.commands.aliases import in_english
from pbm_oust.mail.bounces import tag_of
from pbm_oust.players import is_same_address
from pbm_oust.proofs import CODE

_TAG = "verify"


def reply_address(own_address: str, code: str) -> str:
    """Return the address whose mail brings a code back."""
    local, _, host = own_address.rpartition("@")
    return f"{local}+{_TAG}.{code}@{host}"


def code_in(address: str, own_address: str) -> str:
    """Return the code in an address of ours, or an empty text where there is none."""
    tag, _, code = tag_of(address).partition(".")
    is_code = is_same_address(address, own_address) and tag == _TAG and CODE.fullmatch(code)
    return code if is_code else ""


def line_with(code: str, subject: str) -> str:
    """Return the line of a mail that brings a code back: its Subject, if that says so too."""
    begins_alike = list(map(in_english, subject.lower().split()[:2])) == [_TAG, code]
    return subject if begins_alike else f"{_TAG} {code}"
