"""The configuration: its defaults, its keys, and complaints that say what would be right."""

from ipaddress import ip_network

import pytest

from pbm_oust.store.configuration import (
    BadConfiguration,
    Configuration,
    Endpoint,
    parse_configuration,
    parse_endpoint,
    parse_relay,
)


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


def test_the_address_can_be_set() -> None:
    assert parse_configuration('address = "oust@example.org"').address == "oust@example.org"


@pytest.mark.parametrize("key", ["smtp", "lmtp"])
@pytest.mark.parametrize(
    ("value", "endpoint"),
    [
        ("192.0.2.1:25", Endpoint("192.0.2.1", 25)),
        ("mail.example.org:24", Endpoint("mail.example.org", 24)),
        ("[::1]:2525", Endpoint("::1", 2525)),
        ("localhost:0", Endpoint("localhost", 0)),
        ("unix:/run/pbm_oust/lmtp", Endpoint(path="/run/pbm_oust/lmtp")),
    ],
)
def test_a_listener_is_a_host_and_port_or_a_path(key: str, value: str, endpoint: Endpoint) -> None:
    assert getattr(parse_configuration(f'{key} = "{value}"'), key) == endpoint


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


@pytest.mark.parametrize("value", ["localhost", "127.0.0.1/24", "127.0.0.1,::1", "1.2.3"])
def test_mail_servers_that_cannot_be_read_are_answered_with_how_they_are_written(
    value: str,
) -> None:
    message = complaint(f'mail_servers = "{value}"')
    assert message.startswith("mail_servers: ")
    assert message.endswith("; addresses are written 192.0.2.1 or 192.0.2.0/24")


@pytest.mark.parametrize("value", ["mx example", "mx.example.org;", "(mx)", ".", "mx."])
def test_the_name_in_authentication_results_is_one_of_a_host(value: str) -> None:
    message = complaint(f'authserv_id = "{value}"')
    assert message == f"authserv_id: {value!r} is not written mx.example.org"


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


@pytest.mark.parametrize(
    ("key", "nearest"),
    [
        ("adress", "address"),
        ("Relay", "relay"),
        ("web_adress", "web_address"),
        ("mailserver", "mail_servers"),
        ("limit", "limits"),
    ],
)
def test_a_key_that_does_not_exist_is_answered_with_the_one_that_is_nearest(
    key: str, nearest: str
) -> None:
    wanted = f"{key}: there is no such key; perhaps {nearest} is meant"
    assert complaint(f'{key} = "oust"') == wanted


def test_a_key_like_no_other_is_answered_with_where_all_are_listed() -> None:
    wanted = "wonderland: there is no such key; docs/configuration.md lists all there are"
    assert complaint("wonderland = 1") == wanted


def test_a_limit_that_does_not_exist_is_answered_with_the_one_that_is_nearest() -> None:
    wanted = "limits: there is no limit moves_per_hour; perhaps moves_an_hour is meant"
    assert complaint("[limits]\nmoves_per_hour = 5") == wanted


@pytest.mark.parametrize(
    "key", ["address", "smtp", "smtps", "lmtp", "relay", "mail_servers", "proxies", "certificate"]
)
@pytest.mark.parametrize("value", ["25", "true", '["a"]', "{ host = 1 }"])
def test_a_value_that_is_no_text_is_answered_with_how_it_is_written(key: str, value: str) -> None:
    wanted = f'{key}: a text in quotes is wanted, as in {key} = "..."'
    assert complaint(f"{key} = {value}") == wanted


@pytest.mark.parametrize("value", ["1", '"true"', "[]"])
def test_a_value_that_is_not_true_or_false_is_answered_with_how_it_is_written(value: str) -> None:
    wanted = "readers: true or false is wanted, as in readers = true"
    assert complaint(f"readers = {value}") == wanted


def test_smtps_wants_a_certificate() -> None:
    assert complaint('smtps = "127.0.0.1:465"').startswith("smtps: there is no certificate;")


def test_a_certificate_is_named_by_its_whole_path() -> None:
    wanted = "certificate: 'fullchain.pem' is not written from / on"
    assert complaint('certificate = "fullchain.pem"') == wanted


@pytest.mark.parametrize("key", ["smtp", "smtps", "lmtp"])
@pytest.mark.parametrize(
    "value",
    ["localhost", ":25", "localhost:", "localhost:smtp", "localhost:65536", "h:-1", "unix:"],
)
def test_a_listener_that_cannot_be_read_is_answered_with_how_it_is_written(
    key: str, value: str
) -> None:
    wanted = f"{key}: {value!r} is not written HOST:PORT or unix:PATH"
    assert complaint(f'{key} = "{value}"') == wanted


@pytest.mark.parametrize(
    "value", ["mail:25", "smtp://mail", "smtps://mail:465", "smtp://:25", "smtp://unix:/run"]
)
def test_a_relay_that_cannot_be_read_is_answered_with_how_it_is_written(value: str) -> None:
    wanted = f"relay: {value!r} is not written smtp://HOST:PORT"
    assert complaint(f'relay = "{value}"') == wanted


@pytest.mark.parametrize("value", ["pbmserv", "a b@example.org", "<oust@example.org>", ""])
def test_an_address_that_is_none_is_answered_with_how_it_is_written(value: str) -> None:
    wanted = f"address: {value!r} is not written NAME@HOST"
    assert complaint(f'address = "{value}"') == wanted


def test_a_text_that_is_no_toml_is_answered_with_the_place() -> None:
    message = complaint('address = "oust@example.org"\nsmtp = \n')
    assert message.startswith("this is not TOML: ")
    assert "line 2" in message


@pytest.mark.parametrize("text", ["127.0.0.1:8025", "mail.example.org:25", "unix:/run/lmtp"])
def test_an_endpoint_is_printed_as_it_is_written(text: str) -> None:
    assert str(parse_endpoint(text)) == text


def test_a_relay_is_printed_without_its_scheme() -> None:
    assert str(parse_relay("smtp://mail:25")) == "mail:25"
