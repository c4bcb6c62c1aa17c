"""What the tables of figures say about the machine."""

import os
import platform


def machine() -> str:
    """Return how many cores it has, its load in the last minute, and which Python it runs."""
    load = os.getloadavg()[0]
    return f"{os.cpu_count()} cores, load {load:.1f}, Python {platform.python_version()}"
