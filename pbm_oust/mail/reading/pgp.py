"""Text in the armour of OpenPGP (RFC 9580, section 6). Pure."""

_SIGNED = "-----BEGIN PGP SIGNED MESSAGE-----"
_SIGNATURE = "-----BEGIN PGP SIGNATURE-----"
ENCRYPTED = "-----BEGIN PGP MESSAGE-----"


def without_armour(text: str) -> str:
    """Return the text that was signed, or the text above what was encrypted."""
    lines = text.split("\n")
    bare = [line.rstrip() for line in lines]
    if ENCRYPTED in bare:
        return "\n".join(lines[: bare.index(ENCRYPTED)])
    if _SIGNED not in bare:
        return text
    begin = bare.index(_SIGNED)
    try:
        begin = bare.index("", begin) + 1
        end = bare.index(_SIGNATURE, begin)
    except ValueError:
        return text
    return "\n".join(line.removeprefix("- ") for line in lines[begin:end])
