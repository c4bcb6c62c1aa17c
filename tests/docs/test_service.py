"""The service reaches what its configuration names, on this host and on others."""

import re
from ipaddress import ip_address

from pbm_oust.store.configuration import parse_configuration
from tests.support.document import DOCS, block, settings, unit

UNIT = unit("pbm_oust.service", {})
DROP_IN = block("several_hosts/pbm_oust.service.d/database.conf", {})
FAMILIES = {4: "AF_INET", 6: "AF_INET6"}


def test_the_service_reaches_its_own_host_alone() -> None:
    assert settings(UNIT, "IPAddressDeny") == ["any"]
    assert settings(UNIT, "IPAddressAllow") == ["localhost"]


def test_with_a_database_on_another_host_the_service_reaches_that_too() -> None:
    several = (DOCS / "several-hosts.md").read_text()
    (text,) = re.findall(r"^```toml\n(.*?)^```$", several, re.MULTILINE | re.DOTALL)
    assert "@db.example.org/" in parse_configuration(text).store
    assert DROP_IN.startswith("[Service]\n")
    assert re.findall(r"^(\w+)=", DROP_IN, re.MULTILINE) == ["IPAddressAllow"]
    (allowed,) = settings(DROP_IN, "IPAddressAllow")
    (families,) = settings(UNIT, "RestrictAddressFamilies")
    for each in map(ip_address, allowed.split()):
        assert not each.is_loopback
        assert FAMILIES[each.version] in families.split()


def test_the_backup_is_shut_in_as_the_server_is() -> None:
    backup = unit("pbm_oust-backup.service", {})
    for name in ("User", "Group", "UMask"):
        assert settings(backup, name) == settings(UNIT, name)
    kept, others = (
        set(each.partition("NoNewPrivileges")[2].split("\n")) for each in (UNIT, backup)
    )
    open_for_the_server = {
        "RestrictAddressFamilies=AF_INET AF_INET6 AF_UNIX",
        "SystemCallFilter=setpriority",
        "IPAddressAllow=localhost",
    }
    lines = {each for each in kept - others if "=" in each}
    assert lines - {"WantedBy=multi-user.target"} == open_for_the_server
    for each in (UNIT, backup):
        assert settings(each, "MemoryMax")
        assert settings(each, "TasksMax")
