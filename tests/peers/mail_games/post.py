"""A host whose Postfix carries the mail of a game, and the players who have a mailbox there."""

import shutil

from tests.peers.mail_servers.host import Host
from tests.support.document import block

PASSWORDS = {"alice": "wonderland", "bob": "lookingglass"}


def settings(host: Host) -> str:
    """Return what the document says of LMTP and of the relay."""
    lmtp = block("postfix-lmtp/main.cf", {"127.0.0.1:8024": f"127.0.0.1:{host.lmtp_port}"})
    return lmtp + block("postfix-relay/main.cf", {})


def make_players(host: Host) -> None:
    """Make the players' accounts, and their mailboxes before any mail has come."""
    for userid, password in PASSWORDS.items():
        address = f"{userid}@example.org"
        made = host.run("players", "add", userid, address, "--password", password)
        assert made.returncode == 0, made.stderr
        for folder in ("", "cur", "new", "tmp"):
            path = host.mail / userid / folder
            path.mkdir(mode=0o700)
            shutil.chown(path, host.home.owner(), host.home.group())
