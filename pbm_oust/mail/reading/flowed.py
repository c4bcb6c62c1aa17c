"""Text in format=flowed (RFC 3676), made into lines that are whole paragraphs. Pure."""

_SIGNATURE = "-- "


def unflowed(text: str, drops_space: bool) -> str:
    """Return a flowed text without soft line breaks, and with quotes marked by one `>`.

    `drops_space` is the parameter DelSp: the space that marks a soft break is not part of the text.
    """
    paragraphs: list[list[str]] = []
    open_depth = None
    for line in text.split("\n"):
        content = line.lstrip(">")
        depth = len(line) - len(content)
        content = content.removeprefix(" ")
        if depth != open_depth or content == _SIGNATURE:
            paragraphs.append(["> "] if depth else [])
        is_soft = content.endswith(" ") and content != _SIGNATURE
        paragraphs[-1].append(content[:-1] if is_soft and drops_space else content)
        open_depth = depth if is_soft else None
    return "\n".join("".join(paragraph) for paragraph in paragraphs)
