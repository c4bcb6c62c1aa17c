"""What lies between hosts and their databases, and can be cut: the cables of network namespaces.

A host in a namespace of its own has a cable to the databases, which are in one of theirs. What is
cut says nothing: connections stay open, and nothing comes through. It takes root.
"""

import subprocess
from collections.abc import Sequence

from tests.support.postgresql import account_ids


class Namespaces:
    """A network namespace for each host, and one for the databases, where their cables meet.

    They are gone with this process. Raises OSError where the machine does not allow them.
    """

    listen_addresses = "10.77.0.254"

    def __init__(self, hosts: int, ports: Sequence[int]) -> None:
        self._ports = ports
        self._holders = list[subprocess.Popen[bytes]]()
        """Processes that keep the namespaces: that of the databases, then those of the hosts."""
        try:
            for _ in range(hosts + 1):
                self._holders.append(_new_namespace())
            self._run(0, "link add hub type bridge")
            self._run(0, f"addr add {self.listen_addresses}/24 dev hub")
            self._run(0, "link set hub up")
            for host in range(hosts):
                self._lay_cable(host)
        except OSError:
            self.close()
            raise

    def inside(self, host: int) -> tuple[str, ...]:
        """Return the command that starts a program on a host."""
        return self._entering(host + 1)

    def beside_databases(self) -> tuple[str, ...]:
        """Return the command that starts a database, as its account."""
        user, group = account_ids()
        return (*self._entering(0), f"--setuid={user}", f"--setgid={group}")

    def places(self, host: int) -> list[tuple[str, int]]:
        """Return where a host finds the databases."""
        return [(self.listen_addresses, port) for port in self._ports]

    def cut(self, host: int) -> None:
        """Pull the cable of a host, at the end of the databases."""
        self._run(0, f"link set host{host} down")

    def mend(self, host: int) -> None:
        """Put the cable back."""
        self._run(0, f"link set host{host} up")

    def close(self) -> None:
        """Let the namespaces go."""
        for holder in self._holders:
            holder.communicate()

    def _lay_cable(self, host: int) -> None:
        pid = self._holders[host + 1].pid
        self._run(0, f"link add host{host} type veth peer name cable netns {pid}")
        self._run(0, f"link set host{host} master hub up")
        self._run(host + 1, f"addr add 10.77.0.{host + 1}/24 dev cable")
        self._run(host + 1, "link set cable up")

    def _entering(self, number: int) -> tuple[str, ...]:
        return "nsenter", f"--net=/proc/{self._holders[number].pid}/ns/net"

    def _run(self, number: int, words: str) -> None:
        command = [*self._entering(number), "ip", *words.split()]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            raise OSError(f"ip {words}: {done.stderr}")


def _new_namespace() -> subprocess.Popen[bytes]:
    """Start a process in a network namespace of its own, which ends with its input."""
    script = "ip link set lo up && echo ready && exec cat"
    holder = subprocess.Popen(
        ["unshare", "--net", "sh", "-c", script],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert holder.stdout
    if holder.stdout.readline() != b"ready\n":
        raise OSError(holder.communicate()[1].decode())
    return holder
