"""The page that leads from an empty Debian to the first mail answered, word for word.

It is carried out as root in a root of its own, which is this machine's with whatever is written on
top of it, and in a network of its own. Where the page has packages installed and units started,
`stand_ins/` does so.
"""

import subprocess
import sys
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from scripts.documents.pages import Page
from tests.peers.mail_servers.host import PEERS, ROOT, open_folder
from tests.support.waiting import PATIENCE

PAGE = ROOT / "docs" / "operate.md"
STAND_INS = Path(__file__).with_name("stand_ins")
SETTINGS = {"postfix-lmtp/main.cf", "postfix-relay/main.cf"}
FILES = {
    "pbm_oust.toml": "> /var/lib/pbm_oust/pbm_oust.toml",
    "web/pbm_oust.toml": ">> /var/lib/pbm_oust/pbm_oust.toml",
    "caddy/Caddyfile": "> /etc/caddy/Caddyfile",
    "nightly/cron.daily/pbm_oust": "> /etc/cron.daily/pbm_oust",
}
"""Where the page puts its other blocks."""
ENTER = """
mount -t tmpfs none "$1" && cd "$1" && mkdir above work root
mount -t overlay none -o lowerdir=/,upperdir=above,workdir=work root
mount -t proc none root/proc && mount --rbind /dev root/dev && ip link set lo up
exec chroot root bash -euxc "$2"
"""
AT_THE_END = """
mkdir -p /var/backups && sh /etc/cron.daily/pbm_oust && ls /var/backups
for try in $(seq 300); do
    curl --silent --fail http://127.0.0.1:8080/healthz && break
    sleep 0.1
done
postfix stop; kill $(cat /run/pbm_oust.pid)
"""


def steps() -> Iterator[str]:
    """Yield what the page has done, in its order."""
    for info, lines in Page(PAGE, PAGE.read_text()).blocks():
        text = "\n".join(each.text for each in lines)
        _, _, name = info.partition(" ")
        if info == "sh":
            yield text
        elif name in SETTINGS:
            yield f"xargs -d '\\n' postconf -e <<'END'\n{text}\nEND"
        else:
            yield f"mkdir -p /etc/caddy && cat {FILES[name]} <<'END'\n{text}\nEND"


def test_the_first_mail_is_answered_as_the_page_says() -> None:
    with open_folder() as folder:
        path = (
            f"{STAND_INS}:{sys.base_prefix}/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin"
        )
        environment = {
            "PATH": path,
            "PEERS": str(PEERS),
            "CC": "false",
            # Libraries come from here, and not from a package index.
            "PYTHONPATH": sysconfig.get_path("purelib"),
            "PIP_NO_INDEX": "1",
            "PIP_NO_DEPS": "1",
            "PIP_NO_BUILD_ISOLATION": "0",
        }
        opened = [str(each) for each in (Path(sys.base_prefix), ROOT, PEERS.resolve())]
        before = (
            f"trap 'tail -n 40 /var/log/mail.log /var/log/pbm_oust >&2' EXIT\ncd {ROOT}\n"
            + "".join(
                f"chmod o+x {parent}\n" for each in opened for parent in [each, *Path(each).parents]
            )
        )
        script = "\n".join([before, *steps(), AT_THE_END])
        words = ["--mount", "--net", "--pid", "--fork", "--kill-child", "bash", "-euc", ENTER]
        ran = subprocess.run(
            ["unshare", *words, "bash", str(folder), script],
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
    print(ran.stdout, ran.stderr)
    assert ran.returncode == 0
    assert "Subject: the help" in ran.stdout
    assert "BAD" not in ran.stdout
    assert "mail: mail came in after" in ran.stdout
    assert '"takes_mail":true' in ran.stdout
