"""What pages load besides: a style sheet and a script, each under a name that changes with it."""

from hashlib import sha256
from importlib.resources import files

_TYPES = {"style.css": "text/css; charset=utf-8", "script.js": "text/javascript; charset=utf-8"}

CONTENTS = {name: files(__package__).joinpath(name).read_bytes() for name in _TYPES}

STATIC = {
    name: f"/static/{sha256(content).hexdigest()[:12]}/{name}" for name, content in CONTENTS.items()
}
"""The paths by the names of the files."""

FOUND = {path: (CONTENTS[name], _TYPES[name]) for name, path in STATIC.items()}
"""By path: what is there, and its media type."""
