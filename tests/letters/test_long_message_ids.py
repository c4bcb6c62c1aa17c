"""Message-IDs longer than a line: what they thread by stays whole on its way out."""

from pathlib import Path

from pbm_oust.mail.flush import Relaying
from tests.support.home_by_mail import ALICE, BOB, Talk
from tests.support.sink import listening_sink

LONG = f"<{'AM0PR04MB' * 12}@AM0PR04MB.eurprd04.prod.outlook.com>"


def test_a_long_message_id_comes_back_as_it_was(tmp_path: Path) -> None:
    talk = Talk.begin(tmp_path, ALICE, BOB)
    with listening_sink() as (sink, endpoint):
        talk.send(ALICE, "oust challenge alice bob wonderland", headers=[f"Message-ID: {LONG}"])
        own = [str(letter["Message-ID"]) for letter in talk.letters]
        Relaying(talk.home, endpoint, talk.own, talk.now.timestamp).flush()
        data = [envelope.original_content or b"" for envelope in sink.wait_for(2)]
    data.sort(key=lambda sent: [f"\r\nMessage-ID: {each}\r\n".encode() not in sent for each in own])
    assert f"\r\nIn-Reply-To: {LONG}\r\n".encode() in data[0]
    assert f"\r\nReferences: <oust.1@example.com> {LONG}\r\n".encode() in data[0]
    for sent, message_id in zip(data, own, strict=True):
        assert f"\r\nMessage-ID: {message_id}\r\n".encode() in sent
