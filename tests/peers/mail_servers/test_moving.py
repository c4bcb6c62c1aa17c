import re
import subprocess
from pathlib import Path

from tests.peers.mail_servers.exim import exim_files, running_exim
from tests.peers.mail_servers.games import begin_a_game, finish_the_game, records_of
from tests.peers.mail_servers.host import Host, new_host
from tests.peers.mail_servers.postfix import running_postfix
from tests.support.document import block
from tests.support.player import latest_mail
from tests.support.waiting import wait_until


def test_a_game_moves_to_another_host_with_the_mail_that_waits(host: Host, installed: Path) -> None:
    host.configure()
    settings = host.postfix_settings
    with (
        new_host(installed) as new,
        running_postfix(host, settings) as postfix,
        running_exim(new, exim_files(new.lmtp_port)),
    ):
        with host.serving():
            players, latest = begin_a_game(host)
        players[0].follow_example(latest["alice"])
        postfix.wait_until_put_off("Connection refused")
        _copy(host, new)
        new.configure()
        assert new.run("games", "verify").returncode == 0
        with new.serving():
            place = {"[new.example.org]": f"[127.0.0.1]:{new.smtp_port}"}
            moved = block("postfix-moved/main.cf", place)
            postfix.configure(re.sub(r"transport_maps.*\n", lambda _: moved, settings))
            postfix.reload()
            postfix.flush_until_empty()
            for player in players:
                player.post = new
            latest = latest_mail(players)
            assert records_of(new) == 1
            finish_the_game(new, players, latest)
        wait_until(lambda: postfix.queue() == [], "an empty queue")
    assert records_of(host) == 0


def _copy(old: Host, new: Host) -> None:
    for name, day, host in (("backup", "$(date +%F)", old), ("restore", "2026-11-20", new)):
        places = {
            "/opt/pbm_oust": str(host.installed),
            f"/var/backups/pbm_oust-{day}": str(old.folder / "backup"),
            "/var/lib/pbm_oust": str(host.home),
        }
        subprocess.run(["bash", "-ec", block(name, places)], check=True)
