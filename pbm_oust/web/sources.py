"""Where requests come from, as limits count it: the host or network, as of mail."""

from ipaddress import ip_address

from starlette.requests import Request

from pbm_oust.mail.clients import source_at


def source_of(request: Request) -> str:
    """Return the host or network that a request comes from.

    Behind a web server of ours it is whom that names; empty if that is no address.
    """
    host = request.client.host if request.client else ""
    try:
        return str(source_at(ip_address(host.partition("%")[0])))
    except ValueError:
        return ""
