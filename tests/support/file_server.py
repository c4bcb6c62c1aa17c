"""A plain file server, as Python brings one, in a process of its own."""

import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.website import Site


@contextmanager
def file_server(folder: Path) -> Iterator[Site]:
    """Serve the files in a folder while the body runs."""
    words = [sys.executable, "-u", "-m", "http.server", "0", "--bind", "127.0.0.1"]
    process = subprocess.Popen(
        [*words, "--directory", str(folder)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    try:
        found = re.search(r"port (\d+)", process.stdout.readline())
        assert found
        yield Site(int(found[1]))
    finally:
        process.kill()
        process.communicate()
