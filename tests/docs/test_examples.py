"""The example with containers fits the program, the document, and itself."""

import configparser
import re
from ipaddress import IPv4Network, ip_network
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner

from pbm_oust.cli.main import main
from pbm_oust.store.configuration import parse_configuration
from pbm_oust.web.addresses import HEALTH
from tests.support.document import block

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "docs" / "examples" / "several_hosts"
COMPOSE: dict[str, Any] = yaml.safe_load((FOLDER / "compose.yaml").read_text())
SERVICES: dict[str, dict[str, Any]] = COMPOSE["services"]
SERVERS = ("one", "two", "three")
CONFIGURATION = parse_configuration((FOLDER / "pbm_oust.toml").read_text())
POSTFIX = dict(re.findall(r"^(\w+) *= *(.*)$", (FOLDER / "main.cf").read_text(), re.MULTILINE))
KNOWN = {
    *("build", "image", "command", "environment", "volumes", "tmpfs", "depends_on", "networks"),
    *("healthcheck", "stop_grace_period", "restart", "ports", "hostname"),
}
"""The keys of services in the specification of compose files, as far as they are used here."""
(NETWORK,) = COMPOSE["networks"]["games"]["ipam"]["config"]
GATEWAY = str(NETWORK["gateway"])
"""From where Docker lets come whose address it does not hand on: anybody, at port 25."""
CONDITIONS = {"service_healthy", "service_completed_successfully"}


def port_of(endpoint: object) -> int:
    return int(str(endpoint).rpartition(":")[2])


@pytest.mark.parametrize("name", SERVICES)
def test_a_service_names_what_there_is(name: str) -> None:
    service = SERVICES[name]
    assert set(service) <= KNOWN
    assert ("image" in service) is not ("build" in service)
    if build := service.get("build"):
        context = FOLDER / build["context"]
        assert (context / build["dockerfile"]).is_file()
    for volume in service.get("volumes", []):
        source, target, *_ = volume.split(":")
        assert target.startswith("/")
        if source.startswith("./"):
            assert (FOLDER / source).is_file()
        else:
            assert source in COMPOSE["volumes"]
    assert set(service["networks"]) <= set(COMPOSE["networks"])
    for other, needed in service.get("depends_on", {}).items():
        assert needed["condition"] in CONDITIONS
        assert needed["condition"] != "service_healthy" or "healthcheck" in SERVICES[other]


def test_three_servers_differ_in_their_ports_alone() -> None:
    without = [
        {key: value for key, value in SERVICES[name].items() if key != "ports"} for name in SERVERS
    ]
    assert without[0] == without[1] == without[2]
    assert len({str(SERVICES[name]["ports"]) for name in SERVERS}) == 3
    for name in SERVERS:
        (port,) = SERVICES[name]["ports"]
        assert port_of(port) == port_of(CONFIGURATION.web)


@pytest.mark.parametrize("name", [*SERVERS, "upgrade"])
def test_commands_are_those_of_the_program(name: str) -> None:
    done = CliRunner().invoke(main, [*SERVICES[name]["command"], "--help"])
    assert done.exit_code == 0, done.output
    assert done.output.startswith("Usage: ")


def test_the_configuration_leads_to_the_services() -> None:
    assert CONFIGURATION.relay
    assert CONFIGURATION.relay.host == "postfix"
    assert port_of(SERVICES["postfix"]["ports"][0]) == CONFIGURATION.relay.port
    assert CONFIGURATION.store == "postgresql://games@database/games"
    assert SERVICES["postfix"]["hostname"] == POSTFIX["myhostname"]
    check = " ".join(SERVICES["one"]["healthcheck"]["test"])
    assert f"http://127.0.0.1:{port_of(CONFIGURATION.web)}{HEALTH}" in check


def test_servers_and_postfix_trust_one_another_and_nobody_from_outside() -> None:
    postfix = SERVICES["postfix"]["networks"]["games"]["ipv4_address"]
    assert CONFIGURATION.mail_servers == (ip_network(postfix),)
    assert POSTFIX["mynetworks"].split() == ["127.0.0.0/8", f"!{GATEWAY}", NETWORK["subnet"]]
    given = IPv4Network(NETWORK["ip_range"])
    assert given.subnet_of(IPv4Network(NETWORK["subnet"]))
    assert not {GATEWAY, postfix} & set(map(str, given))


def test_who_comes_by_the_gateway_to_the_pages_is_on_this_machine() -> None:
    assert CONFIGURATION.web_proxies == (ip_network(GATEWAY),)
    for name in SERVERS:
        assert [port.split(":")[0] for port in SERVICES[name]["ports"]] == ["127.0.0.1"]


def test_mail_comes_by_what_the_network_has() -> None:
    assert "enable_ipv6" not in COMPOSE["networks"]["games"]
    assert SERVICES["postfix"]["ports"] == ["0.0.0.0:25:25"]


def test_postfix_hands_mail_to_the_servers() -> None:
    (alias,) = SERVICES["one"]["networks"]["games"]["aliases"]
    target = f"{CONFIGURATION.address} = lmtp:inet:{alias}:{port_of(CONFIGURATION.lmtp)}"
    assert POSTFIX["transport_maps"] == f"inline:{{ {{ {target} }} }}"


def test_the_image_has_the_extras_that_are_needed() -> None:
    found = re.search(r"\[([a-z,]+)\]\"", (FOLDER / "Dockerfile").read_text())
    setup = configparser.ConfigParser()
    setup.read(ROOT / "setup.cfg")
    assert found
    assert {"metrics", "postgresql", "web"} == set(found[1].split(","))
    assert set(found[1].split(",")) <= set(setup["options.extras_require"])


def test_the_rights_are_those_of_the_document() -> None:
    script = (FOLDER / "roles.sh").read_text()
    assert block("several_hosts/rights.sql", {}) in script
    for line in block("several_hosts/roles.sql", {}).splitlines():
        assert line.removesuffix(";") in script
