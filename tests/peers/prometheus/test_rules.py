"""The rules for alerts and the queries of the dashboard, as Prometheus reads them."""

import json
import re
import shutil
import subprocess
from pathlib import Path

from tests.peers.mail_servers.host import PEERS
from tests.support.document import DOCS

PROMTOOL = f"{PEERS}/prometheus/usr/bin/promtool"
EXAMPLES = DOCS / "examples" / "prometheus"


def told(*words: str | Path) -> str:
    """Return what promtool says, which finds no fault."""
    done = subprocess.run([PROMTOOL, *words], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_prometheus_takes_the_rules() -> None:
    assert "10 rules found" in told("check", "rules", EXAMPLES / "pbm_oust.rules.yml")


def test_alerts_come_and_go_with_what_they_are_about(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "pbm_oust.rules.yml", tmp_path)
    shutil.copy(Path(__file__).with_name("alerts.test.yml"), tmp_path)
    assert "SUCCESS" in told("test", "rules", tmp_path / "alerts.test.yml")


def test_prometheus_takes_the_queries_of_the_dashboard(tmp_path: Path) -> None:
    panels = json.loads((EXAMPLES / "pbm_oust.dashboard.json").read_text())["panels"]
    queries = [target["expr"] for panel in panels for target in panel["targets"]]
    rules = [
        {"record": f"query:{number}", "expr": re.sub(r"\$instance", ".*", query)}
        for number, query in enumerate(queries)
    ]
    written = tmp_path / "dashboard.yml"
    written.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    assert f"{len(queries)} rules found" in told("check", "rules", written)
