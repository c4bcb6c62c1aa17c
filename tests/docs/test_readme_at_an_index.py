"""A package index shows the README with links that lead somewhere from there."""

import re
import subprocess
import sys
from email import message_from_string
from pathlib import Path

from scripts.readme import with_whole_links

ROOT = Path(__file__).parents[2]
URL = "https://example.org/pbm_oust"


def test_links_lead_to_where_the_project_is_hosted() -> None:
    text = with_whole_links((ROOT / "README.md").read_text(), URL)
    targets = re.findall(r'\]\(([^)]*)\)|src="([^"]*)"', text)
    assert len(targets) > 20
    for target in map("".join, targets):
        where, _, path = target.removeprefix(f"{URL}/").partition("/main/")
        assert where == ("raw" if target.endswith(".svg") else "blob")
        assert (ROOT / path.partition("#")[0]).exists(), target


def test_the_metadata_has_them(tmp_path: Path) -> None:
    command = [sys.executable, "setup.py", "--quiet", "egg_info", "--egg-base", str(tmp_path)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    (written,) = tmp_path.glob("*/PKG-INFO")
    described = message_from_string(written.read_text())
    url = described["Home-page"]
    assert url.startswith("https://")
    assert with_whole_links((ROOT / "README.md").read_text(), url).strip() in written.read_text()
