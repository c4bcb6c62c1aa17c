"""A name server on loopback that knows the records of a test, and nothing else."""

import socketserver
from collections.abc import Iterator
from contextlib import contextmanager

import dns.flags
import dns.message
import dns.name
import dns.rcode
import dns.zone

from pbm_oust.store.configuration import Endpoint
from tests.support.answering import serving_in_thread

_HEAD = "$TTL 60\n@ SOA ns.example.org. hostmaster.example.org. 1 60 60 60 60\n"


@contextmanager
def name_server(records: str) -> Iterator[Endpoint]:
    """Answer with records of `example.org` for the body of the `with`; a line is one record."""
    text = f"{_HEAD}{records}\n"
    zone = dns.zone.from_text(text, "example.org", relativize=False, check_origin=False)

    class Answering(socketserver.BaseRequestHandler):
        def handle(self) -> None:
            data, sender = self.request
            asked = dns.message.from_wire(data)
            (question,) = asked.question
            answer = dns.message.make_response(asked)
            answer.flags |= dns.flags.AA
            if found := zone.get_rrset(question.name, question.rdtype):
                answer.answer.append(found)
            elif zone.get_node(question.name) is None:
                answer.set_rcode(dns.rcode.NXDOMAIN)
            sender.sendto(answer.to_wire(), self.client_address)

    with serving_in_thread(socketserver.UDPServer(("127.0.0.1", 0), Answering)) as endpoint:
        yield endpoint
