"""What pages load besides: style sheet, script and icon, under names that change with them."""

from hashlib import sha256
from importlib.resources import files

_TYPES = {
    "style.css": "text/css; charset=utf-8",
    "script.js": "text/javascript; charset=utf-8",
    "icon.svg": "image/svg+xml",
}

CONTENTS = {name: files(__package__).joinpath(name).read_bytes() for name in _TYPES}

STATIC = {
    name: f"/static/{sha256(content).hexdigest()[:12]}/{name}" for name, content in CONTENTS.items()
}
"""The paths by the names of the files."""

FOUND = {path: (CONTENTS[name], _TYPES[name]) for name, path in STATIC.items()}
"""By path: what is there, and its media type."""
