"""How much memory there is for a command that needs much."""

import os
import resource
from collections.abc import Iterator
from pathlib import Path

_KIB = 1024


def free_memory(proc: Path = Path("/proc"), groups: Path = Path("/sys/fs/cgroup")) -> int:
    """Return how many bytes of memory this process may still take.

    It is what the machine has free or, where a limit of the container or the process leaves less,
    that. A machine that does not say what is free counts as having all of it free.
    """
    return max(0, min(_bounds(proc, groups)))


def _bounds(proc: Path, groups: Path) -> Iterator[int]:
    page = os.sysconf("SC_PAGE_SIZE")
    yield os.sysconf("SC_PHYS_PAGES") * page
    if meminfo := _read(proc / "meminfo"):
        fields = dict(line.split(":", 1) for line in meminfo.splitlines())
        if available := fields.get("MemAvailable"):
            yield int(available.split()[0]) * _KIB
    if (limit := _read(groups / "memory.max").strip()).isdecimal():
        yield int(limit) - int(_read(groups / "memory.current") or 0)
    address_space, _ = resource.getrlimit(resource.RLIMIT_AS)
    if address_space != resource.RLIM_INFINITY and (sizes := _read(proc / "self" / "statm")):
        yield address_space - int(sizes.split()[0]) * page


def _read(path: Path) -> str:
    try:
        return path.read_text()
    except OSError:
        return ""
