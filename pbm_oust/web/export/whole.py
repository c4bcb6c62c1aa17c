"""An export from beginning to end: boards, all other pages, and what is no more."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager, closing
from dataclasses import dataclass
from functools import partial

from pbm_oust.rules.kinds import KINDS
from pbm_oust.store.home import Home
from pbm_oust.store.index import BoardName, all_players
from pbm_oust.store.published import Published, published
from pbm_oust.store.rebuilding import on_all_cores
from pbm_oust.web import addresses
from pbm_oust.web.export.exporter import Done, Exporter
from pbm_oust.web.export.order import Order
from pbm_oust.web.static import STATIC

FEW_BOARDS, BOARDS_TOGETHER = 8, 4
"""So many boards are exported before another process would have begun; a portion of them."""
FEW_PAGES, PAGES_TOGETHER = 100, 20
"""The same of other pages."""
SEALED_TOGETHER = 100
"""After so many boards that have changed, what was written is put on the disk."""

Bar = Callable[[str], AbstractContextManager[Callable[[int, int], None]]]
"""Shows how far something has got, given its name."""


@dataclass(frozen=True, slots=True)
class Exported:
    """What an export has done."""

    boards: int
    """How many boards there are files about."""
    pages: int
    """How many other pages there are."""
    written: int
    """How many files were written because they have changed."""
    removed: int
    """How many were removed because there is nothing at their addresses any more."""
    damaged: tuple[str, ...]
    """The addresses of boards that cannot be read."""


def export(home: Home, order: Order, bar: Bar) -> Exported:
    """Write pages as files, as far as they have changed. Raises NotPublished and OSError."""
    with published(order.folder, home.disk) as folder, closing(Exporter(order, folder)) as here:
        done = [each for path in (*STATIC.values(), addresses.ROBOTS) if (each := here.page(path))]
        with bar("drawing boards") as progress:
            boards = _boards(home, order, here, folder, progress)
        with bar("writing other pages") as progress:
            seeds = map(addresses.of_player, home.ask(all_players))
            done += _pages(order, here, ["/", *seeds], progress)
        gone = folder.parts() - {each.part for each in (*boards, *done)}
        removed = sum(map(folder.remove, gone))
    return Exported(
        len(boards),
        len(done),
        sum(each.written for each in (*boards, *done)),
        removed,
        tuple(each.part for each in boards if each.is_damaged),
    )


def _boards(
    home: Home,
    order: Order,
    here: Exporter,
    folder: Published,
    progress: Callable[[int, int], None],
) -> list[Done]:
    """Export all boards."""
    names = [name for kind in KINDS for name in home.board_names(kind)]
    boards, fresh, looked_at = list[Done](), dict[str, str](), 0
    sizes = {"few": FEW_BOARDS, "together": BOARDS_TOGETHER}
    for portion in on_all_cores(_board_each, names, here, partial(Exporter, order), **sizes):
        looked_at += len(portion)
        found = [each for each in portion if each]
        boards += found
        fresh |= {each.part: each.made_from for each in found if each.made_from}
        if len(fresh) >= SEALED_TOGETHER:
            folder.seal(fresh)
            fresh.clear()
        progress(looked_at, len(names))
    folder.seal(fresh)
    return boards


def _pages(
    order: Order, here: Exporter, seeds: Iterable[str], progress: Callable[[int, int], None]
) -> list[Done]:
    """Export all pages to which these lead, except those of boards."""
    seen, pages = set[str](STATIC.values()), list[Done]()
    wave = [*dict.fromkeys(seeds)]
    sizes = {"few": FEW_PAGES, "together": PAGES_TOGETHER}
    while wave:
        seen |= {*wave}
        ahead = set[str]()
        for portion in on_all_cores(_page_each, wave, here, partial(Exporter, order), **sizes):
            for each in filter(None, portion):
                pages.append(each)
                ahead |= each.links - seen
            progress(len(pages), len(seen | ahead))
        wave = sorted(ahead)
    return pages


def _board_each(exporter: Exporter, names: Sequence[BoardName]) -> list[Done | None]:
    return [exporter.board(name) for name in names]


def _page_each(exporter: Exporter, found: Sequence[str]) -> list[Done | None]:
    return [exporter.page(address) for address in found]
