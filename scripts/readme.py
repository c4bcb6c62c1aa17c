"""README.md as a package index shows it, where no file of the project lies beside it."""

import re

_LINK = re.compile(r"(\]\(|\b(?:src|href)=\")(?!https?:|#|mailto:)([^)\"]+)")
"""A link or a picture in Markdown, or in HTML within it, that is relative to the project."""
_PICTURE = re.compile(r"\.(?:svg|png)$")


def with_whole_links(text: str, url: str) -> str:
    """Return a text with links to where the project is hosted, at a URL, in place of relative ones.

    Files are shown below `blob/main`; what pictures hold lies below `raw/main`.
    """

    def whole(found: re.Match[str]) -> str:
        kind = "raw" if _PICTURE.search(found[2]) else "blob"
        return f"{found[1]}{url}/{kind}/main/{found[2]}"

    return _LINK.sub(whole, text)
