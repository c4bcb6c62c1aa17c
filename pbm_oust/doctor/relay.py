"""The relay: it answers, and takes mail from us."""

from collections.abc import Iterator

from pbm_oust.accounts.tags import envelope_sender
from pbm_oust.doctor.finding import Examiner, Finding
from pbm_oust.mail.relay import connected
from pbm_oust.store.configuration import Configuration
from pbm_oust.store.home import Home

_on = Examiner("relay")


def check(home: Home, configuration: Configuration) -> Iterator[Finding]:
    """Yield what the relay says when we greet it and name ourselves; nothing is sent."""
    relay, address = configuration.relay, configuration.address
    if relay is None:
        yield _on.bad(
            "no relay is set, so letters stay in the outbox",
            f"Set relay in {home.configuration.name}",
        )
        return
    try:
        with connected(relay, address) as smtp:
            code, text = smtp.mail(envelope_sender(address, home.key(), address))
            smtp.rset()
    except OSError as error:
        yield _on.bad(f"{relay} does not answer: {error}", "See whether it runs and listens there")
        return
    words = text.decode("ascii", "replace")
    if code == 250:
        yield _on.ok(f"{relay} answers and takes letters from us")
    else:
        yield _on.bad(
            f"{relay} does not take letters from us: {code} {words}",
            "Allow this host to send through it",
        )
