"""The configuration: its defaults, its keys, and complaints that say what would be right."""

from ipaddress import ip_network

import pytest

from pbm_oust.store.configuration import (
    BadConfiguration,
    Configuration,
    Endpoint,
    parse_configuration,
)
from tests.support import tables

tabled = tables.tabled(__file__)


def complaint(text: str) -> str:
    with pytest.raises(BadConfiguration) as caught:
        parse_configuration(text)
    return str(caught.value)


@pytest.mark.parametrize("text", ["", "# nothing is set\n"])
def test_everything_has_a_default(text: str) -> None:
    assert parse_configuration(text) == Configuration(
        address="pbmserv@localhost",
        smtp=Endpoint("127.0.0.1", 8025),
        lmtp=None,
        relay=None,
        mail_servers=(),
    )


@pytest.mark.parametrize("key", ["smtp", "lmtp"])
@tabled("value", "host", "port", "path", port=int)
def test_a_listener_is_a_host_and_port_or_a_path(
    key: str, value: str, host: str, port: int, path: str
) -> None:
    found = getattr(parse_configuration(f'{key} = "{value}"'), key)
    assert found == Endpoint(host, port, path)


@pytest.mark.parametrize("key", ["smtp", "lmtp", "relay"])
def test_nothing_turns_a_listener_or_the_relay_off(key: str) -> None:
    assert getattr(parse_configuration(f'{key} = ""'), key) is None


@pytest.mark.parametrize("value", ["smtp://127.0.0.1:25", "smtp://127.0.0.1:25/"])
def test_the_relay_can_be_set(value: str) -> None:
    assert parse_configuration(f'relay = "{value}"').relay == Endpoint("127.0.0.1", 25)


def test_mail_servers_are_addresses_and_networks() -> None:
    text = 'mail_servers = "127.0.0.1 192.0.2.0/24 2001:db8::/64"'
    assert parse_configuration(text).mail_servers == (
        ip_network("127.0.0.1"),
        ip_network("192.0.2.0/24"),
        ip_network("2001:db8::/64"),
    )
    assert parse_configuration('mail_servers = ""').mail_servers == ()


def test_a_text_that_is_no_toml_is_answered_with_the_place() -> None:
    message = complaint('address = "oust@example.org"\nsmtp = \n')
    assert message.startswith("this is not TOML: ")
    assert "line 2" in message


def test_all_keys_can_be_set_at_once() -> None:
    text = """
    address = "oust@example.org"
    smtp = ""
    smtps = "mail:465"
    lmtp = "unix:/run/lmtp"
    relay = "smtp://mail:587"
    mail_servers = "::1"
    authserv_id = "mx.example.org"
    proxies = "192.0.2.1"
    certificate = "/etc/fullchain.pem"
    certificate_key = "/etc/privkey.pem"
    web_proxies = "192.0.2.2 2001:db8::/64"
    readers = true
    """
    assert parse_configuration(text) == Configuration(
        address="oust@example.org",
        smtp=None,
        smtps=Endpoint("mail", 465),
        lmtp=Endpoint(path="/run/lmtp"),
        relay=Endpoint("mail", 587),
        mail_servers=(ip_network("::1"),),
        authserv_id="mx.example.org",
        proxies=(ip_network("192.0.2.1"),),
        certificate="/etc/fullchain.pem",
        certificate_key="/etc/privkey.pem",
        web_proxies=(ip_network("192.0.2.2"), ip_network("2001:db8::/64")),
        readers=True,
    )


@tabled("text", "said")
def test_what_is_wrong_is_answered_with_what_would_be_right(text: str, said: str) -> None:
    assert complaint(text) == said
