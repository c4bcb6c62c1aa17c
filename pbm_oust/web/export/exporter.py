"""Writing boards and other pages as files, as far as they have changed."""

from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from hashlib import sha256

from pbm_oust.refusal import NotAllowed
from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.boards import DamagedHistory
from pbm_oust.store.disk import NoSuchFile
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName, find_analysis, find_entry
from pbm_oust.store.open_boards import read_game
from pbm_oust.store.published import Piece, Published
from pbm_oust.web import addresses
from pbm_oust.web.app import make_app
from pbm_oust.web.atom import MEDIA_TYPE
from pbm_oust.web.boards import FORMS, clock_of, shown_of
from pbm_oust.web.export.asking import Answer, Asking
from pbm_oust.web.export.copies import Copies
from pbm_oust.web.export.order import Order
from pbm_oust.web.export.places import is_of_board, place_of
from pbm_oust.web.ground import Ground

_OK, _MISSING = 200, 404


@dataclass(frozen=True, slots=True)
class Done:
    """What became of a part: a board with all its files, or another page."""

    part: str
    """Its address."""
    written: int = 0
    """How many files have changed."""
    made_from: str = ""
    """What a board that has changed was made from, if it can be read."""
    links: frozenset[str] = frozenset()
    """The addresses to which another page leads, except those of boards."""
    is_damaged: bool = False
    """Whether a board cannot be read, which its page says."""


class Unreadable(Exception):
    """The application has no answer to something about a board."""


class Exporter:
    """Exports parts one by one. Several processes may have one each."""

    def __init__(self, order: Order, published: Published | None = None) -> None:
        """Without a folder to publish in, it opens that of the order."""
        self._order = order
        self._home = Home(order.home)
        self._published = published or Published(order.folder, self._home.disk)
        self._ground = Ground(self._home, order.address, order.clock, order.base, is_served=False)
        self._asking = Asking(make_app(self._ground), order.language)
        self._copies = Copies(order.base, order.past)

    def close(self) -> None:
        """Close the home."""
        self._asking.close()
        self._home.close()

    def board(self, name: BoardName) -> Done | None:
        """Export a board that has changed; None if there is no such board."""
        part = addresses.of_board(str(name))
        made_from = self._made_from(name)
        if made_from and self._published.made_from(part) == made_from:
            return Done(part)
        answer = self._asking.get(part)
        if answer.status == _MISSING:
            return None
        if answer.status != _OK:
            return Done(part, self._published.publish(part, [self._piece(part)]), is_damaged=True)
        try:
            written = self._published.publish(part, list(self._pieces(name, part)))
        except (Unreadable, NotAllowed, DamagedHistory):  # somebody has just changed it
            return Done(part, is_damaged=True)
        return Done(part, written, made_from)

    def page(self, address: str) -> Done | None:
        """Export another page than that of a board; None if there is none."""
        answer = self._asking.get(address)
        if answer.status != _OK:
            return None
        content = self._copied(answer, address)
        written = self._published.publish(address, [Piece(place_of(address), lambda: content)])
        if answer.media_type != "text/html":
            return Done(address, written)
        links = self._copies.links(answer.text)
        return Done(
            address, written, links=frozenset(each for each in links if not is_of_board(each))
        )

    def _made_from(self, name: BoardName) -> str:
        """Return what the files about a board are made from; empty if that cannot be told."""
        entry = self._home.ask(find_entry, name)
        if entry is None:
            return ""
        shown: Hashable = None
        try:
            history = sha256(self._home.history(name)).digest()
            if entry.result is None:
                game = read_game(self._home, KINDS[name.kind], name.board)
                shown = shown_of(clock_of(game, self._ground))
            else:
                shown = self._home.ask(find_analysis, name)
        except (NoSuchFile, NotAllowed, DamagedHistory):
            return ""
        there = [self._ground.work.has_account(userid) for userid in entry.owners]
        return self._order.made_from(history, shown, there)

    def _pieces(self, name: BoardName, part: str) -> Iterator[Piece]:
        """Yield the files about a board, each picture before the page that has it, too."""
        game = read_game(self._home, KINDS[name.kind], name.board)
        past = [addresses.of_board(str(name), each) for each in range(len(game.records) + 1)]
        for address in [part, *filter(self._order.past.has, past)]:
            yield self._piece(f"{address}.svg")
            if self._order.past.has(f"{address}.png"):
                yield self._drawn(address)
            yield self._piece(address, past[-1])
        for ending in FORMS:
            yield self._piece(f"{part}.{ending}")
        if self._order.base:
            yield self._piece(addresses.of_feed(part))

    def _piece(self, address: str, latest: str = "") -> Piece:
        """Return the file for an address; `latest` as in `Copies.page`."""
        return Piece(place_of(address), lambda: self._content(address, latest))

    def _drawn(self, address: str) -> Piece:
        """Return a PNG, which is drawn only if its SVG has changed."""
        made_from = self._order.made_from(self._content(f"{address}.svg"))
        path = f"{address}.png"
        return Piece(place_of(path), lambda: self._content(path), made_from)

    def _content(self, address: str, latest: str = "") -> bytes:
        """Return the content of the file for an address about a board. Raises Unreadable."""
        answer = self._asking.get(address)
        is_page = answer.media_type == "text/html"
        if answer.status != _OK and not is_page:
            raise Unreadable(address)
        return self._copied(answer, address, latest)

    def _copied(self, answer: Answer, address: str, latest: str = "") -> bytes:
        """Return what an application answers at an address as a file has it."""
        match answer.media_type:
            case "text/html":
                return self._copies.page(answer.text, address, latest).encode()
            case found if found == MEDIA_TYPE:
                return self._copies.feed(answer.text).encode()
            case _:
                return answer.content
