"""Checks of the home: configuration, files, database, waiting letters, limits, version."""

import os
import platform
import shlex
import shutil
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path

from tzdata import IANA_VERSION

from pbm_oust import __version__
from pbm_oust.accounts.address import is_address, normal_address
from pbm_oust.board.notation import format_time
from pbm_oust.doctor import RESTORE, Check, Examiner, Finding, counted, examined, first_of
from pbm_oust.doctor.boards import check_accounts, check_boards
from pbm_oust.mail.own_socket import FOR_DELIVER, FOR_OWNER
from pbm_oust.mail.tls import read_certificate
from pbm_oust.robot.levels import LEVELS
from pbm_oust.robot.search import lack
from pbm_oust.rules import KINDS
from pbm_oust.store import configuration as configurations
from pbm_oust.store.accounts import is_known
from pbm_oust.store.database import LATEST, Row, Snapshot
from pbm_oust.store.disk import CLOSED, OPEN, user_name
from pbm_oust.store.faults import DatabaseFault, command_line
from pbm_oust.store.home import Home
from pbm_oust.store.index import count_all
from pbm_oust.store.letters import Letter, LetterState
from pbm_oust.store.limits import SETTABLE, Counted, number_counted
from pbm_oust.store.outbox import name_of
from pbm_oust.store.ratings import is_counting, wrongly_rated
from pbm_oust.store.sqlite import files_of, strange_objects
from pbm_oust.store.upkeep import LONGEST_DUE
from pbm_oust.store.verifications import addresses_asked

LONGEST_LOCAL_PART = 11
"""The most characters before the @ with room for every tag (RFC 5321, section 4.5.3.1.1)."""


def check_configuration(on: Examiner) -> Iterator[Finding]:
    """Yield findings about `pbm_oust.toml`."""
    name = on.home.configuration.name
    try:
        configuration = configurations.parse_configuration(on.home.read_configuration())
        read_certificate(configuration)
    except (configurations.BadConfiguration, OSError) as error:
        yield on.bad(f"{name}: {error}", "The server does not start until this is mended")
        return
    where = configuration.relay or "the outbox only"
    text = f"{configuration.address} takes commands, letters go to {where}"
    yield from on.all_or(text, _parts(on, configuration, name))


def _parts(
    on: Examiner, configuration: configurations.Configuration, name: str
) -> Iterator[Finding]:
    local, _, host = configuration.address.rpartition("@")
    if len(local) > LONGEST_LOCAL_PART:
        yield on.bad(
            f"{name}: address: {local} has {len(local)} characters before the @",
            f"Take one of at most {LONGEST_LOCAL_PART}, so that there is room for tags behind it",
        )
    if configuration.relay and host == "localhost":
        yield on.bad(
            f"{name}: address: {configuration.address} cannot be answered from another host",
            "Set the address to which players write",
        )
    for key in ("mail_servers", "proxies", "web_proxies"):
        for network in getattr(configuration, key):
            if network.prefixlen == 0:
                what = f"{name}: {key}: {network} is every host there is"
                yield on.bad(what, "Name only hosts of your own")
    is_brought_by_socket = configuration.lmtp is not None and configuration.lmtp.path
    if configuration.authserv_id and not (configuration.mail_servers or is_brought_by_socket):
        yield on.bad(
            f"{name}: authserv_id: no mail comes from a mail server of yours, so nothing counts",
            "Name the mail server in mail_servers, or let it hand mail over at a Unix socket",
        )
    if not (configuration.smtp or configuration.smtps or configuration.lmtp):
        yield on.note(
            f"{name}: neither smtp nor smtps nor lmtp is set, so mail comes by deliver only"
        )
    for key, endpoint in (("smtp", configuration.smtp), ("lmtp", configuration.lmtp)):
        if endpoint and endpoint == configuration.relay:
            yield on.bad(
                f"{name}: relay: {endpoint} is where the server itself listens for {key}",
                "Name the mail server that letters are handed to",
            )
        folder = Path(endpoint.path).parent if endpoint and endpoint.path else None
        if folder and not folder.is_dir():
            what = f"{name}: {key}: there is no folder {folder} for the socket"
            yield on.bad(what, "Make it, or name another path")


def check_house(on: Examiner) -> Iterator[Finding]:
    """Yield findings about the house player's search, if it plays or analyses."""
    if on.configuration.house is configurations.House.OFF and not on.configuration.analyses:
        return
    players = f"{LEVELS[0].userid} to {LEVELS[-1].userid}"
    if reason := lack():
        yield on.note(f"{players} play in a simple way and analyse nothing, because {reason}")
    else:
        yield on.ok(f"{players} search with the compiled core")


OLDEST = 150000
"""The number of the oldest tested version."""


_SETTINGS = (
    "SELECT current_setting('server_version'),"
    " CAST(current_setting('server_version_num') AS BIGINT),"
    " pg_encoding_to_char(encoding), current_setting('synchronous_commit'),"
    " current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on',"
    " pg_is_in_recovery(), current_setting('default_transaction_read_only') = 'on',"
    " (SELECT rolsuper FROM pg_roles WHERE rolname = current_user)"
    " FROM pg_database WHERE datname = current_database()"
)
_FORBIDDEN = (
    "SELECT relname FROM pg_class WHERE relnamespace = CAST(current_schema() AS regnamespace)"
    " AND CASE relkind WHEN 'r' THEN relname <> 'pbm_oust_version'"
    " AND NOT (has_table_privilege(oid, 'SELECT') AND has_table_privilege(oid, 'INSERT')"
    " AND has_table_privilege(oid, 'UPDATE') AND has_table_privilege(oid, 'DELETE'))"
    " WHEN 'S' THEN NOT has_sequence_privilege(oid, 'USAGE') ELSE false END ORDER BY relname"
)
"""The query for tables and sequences that we lack permissions for."""


def check_server(on: Examiner) -> Iterator[Finding]:
    """Yield findings about the database server; none for a home in files."""
    if not on.home.is_on_server:
        return
    try:
        with on.home.database.read() as snapshot:
            (facts,) = snapshot.rows(_SETTINGS)
            forbidden = [name for (name,) in snapshot.rows(_FORBIDDEN)]
    except DatabaseFault:
        yield on.note("not looked at, because it cannot be reached or used")
        return
    version, _, encoding, commit, *_ = facts
    text = f"PostgreSQL {version}, {encoding}, synchronous_commit is {commit}"
    yield from on.all_or(text, _of_server(on, facts, forbidden))


def _of_server(on: Examiner, facts: Row, forbidden: list[str]) -> Iterator[Finding]:
    """Yield faults in a server's settings and in our permissions."""
    version, number, encoding, _, survives, is_standby, is_read_only, is_superuser = facts
    if number < OLDEST:
        yield on.bad(f"PostgreSQL {version} is too old", "Take version 15 or later")
    if encoding != "UTF8":
        yield on.bad(
            f"the encoding of the database is {encoding}",
            "Make one with UTF8, and copy the home to a new folder TO whose configuration names it",
            command=command_line(None, "home", "copy", str(on.home.path.absolute()), "TO"),
        )
    if not survives:
        yield on.bad(
            "fsync or full_page_writes is off, so mails that were acknowledged may be lost",
            "Turn both on in the configuration of PostgreSQL",
        )
    if is_standby:
        yield on.bad(
            "it is a standby, which can only be read",
            "Name the server in store that others follow, or let this one take its place",
        )
    elif is_read_only:
        yield on.bad(
            "transactions are read-only there",
            "Set default_transaction_read_only to off for the database and its role",
        )
    if forbidden:
        yield on.bad(
            f"we may not read and write {first_of(forbidden)}",
            "Grant it: see Roles and rights in docs/several-hosts.md",
        )
    if is_superuser:
        yield on.note("we connect as a superuser; a role that owns nothing is enough")


def check_database(on: Examiner) -> Iterator[Finding]:
    """Yield findings about the database."""
    home = on.home
    if home.is_unfinished:
        what = "restoring this home, or copying it, was broken off"
        yield on.bad(what, "Empty the home, and begin again")
        return
    try:
        if not home.database.is_made:
            yield on.note("there is none yet; the server makes it when it starts")
            return
        with home.database.read() as snapshot:
            is_whole = on.is_whole or count_all(snapshot) <= MOST_LOOKED_AT
            damage = [] if home.is_on_server else _damage(on, snapshot, is_whole=is_whole)
            findings = [*damage, *(_ratings(on, snapshot) if is_whole else ())]
    except DatabaseFault as fault:
        yield on.bad(str(fault), "Until then no mail is taken")
        return
    parts = "" if is_whole else ", as far as a quick look tells; --all looks at indexes and ratings"
    yield from on.all_or(f"it is whole{parts}", findings)


_RESTORE = f"{RESTORE[0].lower()}{RESTORE[1:]}"
MOST_LOOKED_AT = 1000
"""The most boards of a home whose whole database a usual look reads."""


def _damage(on: Examiner, snapshot: Snapshot, *, is_whole: bool) -> Iterator[Finding]:
    """Yield damage of the tables in a file; with `is_whole`, also of their indexes."""
    for (text,) in snapshot.rows(f"PRAGMA {'integrity' if is_whole else 'quick'}_check(5)"):
        if text != "ok":
            yield on.bad(f"it is damaged: {text}", RESTORE)
    for strange in strange_objects(snapshot):
        yield on.bad(f"it has the {strange}, which is none of ours", f"Drop it, or {_RESTORE}")
    if not is_whole:
        return
    rows = snapshot.rows("PRAGMA foreign_key_check")
    for (table, parent), number in sorted(Counter((row[0], row[2]) for row in rows).items()):
        count = counted(number, "row")
        yield on.bad(f"{count} of {table} without the row of {parent} that belongs to it", RESTORE)


def _ratings(on: Examiner, snapshot: Snapshot) -> Iterator[Finding]:
    """Yield the games whose ratings differ from those computed anew."""
    for kind in KINDS.values():
        if is_counting(snapshot, kind):
            yield on.note(
                f"games of {kind.name} are still to be counted for ratings; "
                "the server does that, and so does",
                "sweep",
            )
        elif wrongly_rated(snapshot, kind):
            what = f"the ratings of {kind.name} are not those that its finished games give"
            yield on.bad(what, "Do", "ratings", "--recompute")


LONGEST_WAIT = timedelta(days=1)
"""The waiting time of a letter after which the operator should look."""
LONGEST_STAGE = timedelta(hours=1)
TOLD_AFTER = timedelta(days=3)
"""The age at which letters to addresses of no account that have failed are told of."""


def check_letters(on: Examiner) -> Iterator[Finding]:
    """Yield findings about the letters in the outbox."""
    listed = on.home.outbox.listed()
    waiting = [each for each in listed if each.state in (LetterState.WAITING, LetterState.FILE)]
    held = [each for each in listed if each.state is LetterState.HELD]
    failed = [each for each in listed if each.state is LetterState.FAILED]
    unknown = on.home.ask(_to_nobody, [*failed, *(each for each in waiting if each.failures)])
    findings = chain(
        on.home.ask(lambda snapshot: list(_without_reader(on, snapshot, [*waiting, *held]))),
        _late(on, [each for each in waiting if each.id not in unknown]),
        _aside(on, held, [each for each in failed if each.id not in unknown]),
        _made_up(on, [each for each in failed if each.id in unknown]),
        _unwritable(on, waiting),
        _unfinished(on),
    )
    since = format_time(min((letter.posted for letter in waiting), default=on.now))
    oldest = f", the oldest since {since}" if waiting else ""
    yield from on.all_or(f"{counted(len(waiting), 'letter')} waiting{oldest}", findings)


def _without_reader(
    on: Examiner, snapshot: Snapshot, letters: Iterable[Letter]
) -> Iterator[Finding]:
    """Yield letters that reach nobody, and letters to unknown addresses."""
    for letter in letters:
        name, recipient = name_of(letter), letter.head.recipient
        if not is_address(recipient):
            what = f"the letter {name} goes to {recipient!r}, which is no address"
            yield on.bad(what, "Look at it", "outbox", "show", name)
        elif not (letter.head.is_answer or _has_reader(snapshot, recipient)):
            yield on.note(f"the letter {name} goes to {recipient}, which no account has")


def _to_nobody(snapshot: Snapshot, letters: Iterable[Letter]) -> set[int]:
    """Return the letters to addresses of no account: anybody can cause one that does not leave."""
    return {each.id for each in letters if not is_known(snapshot, each.head.recipient)}


def _has_reader(snapshot: Snapshot, address: str) -> bool:
    """Return whether an account has an address, or a code was mailed there."""
    return is_known(snapshot, address) or normal_address(address) in addresses_asked(snapshot)


def _late(on: Examiner, letters: Sequence[Letter]) -> Iterator[Finding]:
    relay, now = on.configuration.relay, on.now
    oldest = min((letter.posted for letter in letters), default=now)
    due = min((letter.next_try for letter in letters), default=now)
    to_relay = (each.next_try for each in letters if each.state is LetterState.WAITING)
    last = max(to_relay, default=now)
    if last > now + LONGEST_WAIT:
        yield on.note(
            f"letters wait until {format_time(last)}, as a clock was ahead when they were written; "
            "they leave all the same, at once with: pbm-oust outbox flush"
        )
    if relay and oldest < now - LONGEST_WAIT:
        what = f"letters wait for the relay since {format_time(oldest)}"
        yield on.bad(what, "See whether it answers", "doctor", "--relay")
    elif relay and due < now - LONGEST_DUE:
        what = f"letters are due since {format_time(due)} and do not leave"
        remedy = "See whether a server runs, and whether the relay answers"
        yield on.bad(what, remedy, "doctor", "--relay")


def _aside(on: Examiner, held: Sequence[Letter], failed: Sequence[Letter]) -> Iterator[Finding]:
    if held:
        yield on.note(
            f"{counted(len(held), 'letter')} held back since a backup was restored; to let go "
            "what is held back",
            *("outbox", "resume"),
        )
    if failed:
        what = f"{counted(len(failed), 'letter')} failed, the latest to {failed[-1].head.recipient}"
        remedy = "Look at it, and then use retry or remove in the place of show"
        yield on.bad(what, remedy, "outbox", "show", name_of(failed[-1]))


def _made_up(on: Examiner, failed: Iterable[Letter]) -> Iterator[Finding]:
    """Yield how many letters to addresses of no account failed more than three days ago."""
    if old := [each for each in failed if each.posted < on.now - TOLD_AFTER]:
        to = first_of([each.head.recipient for each in reversed(old)])
        what = f"{counted(len(old), 'letter')} to addresses of no account failed: {to}"
        yield on.note(f"{what}; to remove all that failed", "outbox", "remove", "--failed")


def _unwritable(on: Examiner, letters: Iterable[Letter]) -> Iterator[Finding]:
    """Yield the first letter that could not be written; it is tried again every hour."""
    if names := [name_of(letter) for letter in letters if letter.is_put_aside]:
        what = f"{counted(len(names), 'letter')} cannot be written, and will be tried again"
        yield on.bad(what, "See why", "outbox", "show", names[0])


def _unfinished(on: Examiner) -> Iterator[Finding]:
    """Yield the remains in outbox/tmp; a running server finishes them within a minute."""
    before = (on.now - LONGEST_STAGE).timestamp()
    found = _found((on.home.outbox.path / "tmp").glob("*"))
    old = [path for path, status in found.items() if status.st_mtime < before]
    if old:
        yield on.bad(
            f"{counted(len(old), 'file')} in outbox/tmp, the first {old[0].name}, stay unfinished",
            "Start the server, which finishes letters; remove what is none",
        )


def check_limits(on: Examiner) -> Iterator[Finding]:
    """Yield a note about each limit that has left mails unanswered lately."""
    try:
        with on.home.database.read() as snapshot:
            counts = {
                word: number_counted(snapshot, Counted.SILENCES, word, on.now) for word in SETTABLE
            }
    except DatabaseFault:
        return
    for word, number in counts.items():
        if number:
            yield on.note(f"{counted(number, 'mail')} within a day got no answer: {word}")


def check_permissions(on: Examiner) -> Iterator[Finding]:
    """Yield findings about the permissions and owners of files."""
    files = _files(on.home)
    findings = chain(
        _open_to_others(on),
        _of_others(on, files),
        _unusable(on, files),
        _linked(on, files),
        _key(on),
    )
    yield from on.all_or("private files are private, and all belong to one user", findings)


def _files(home: Home) -> list[Path]:
    """Return the files and folders of the server, without anybody else's."""
    folders = [home.outbox.path, *(home.path / kind for kind in KINDS)]
    below = (path for folder in folders for path in [folder, *folder.rglob("*")])
    own = (home.path, home.key_path, *files_of(home.database_path))
    return [path for path in (*own, *below) if os.path.lexists(path)]


def _found(paths: Iterable[Path]) -> Mapping[Path, os.stat_result]:
    """Return the status of each file, without those that have just gone."""
    found = dict[Path, os.stat_result]()
    for path in paths:
        with suppress(FileNotFoundError):
            found[path] = path.stat()
    return found


def _open_to_others(on: Examiner) -> Iterator[Finding]:
    home, has_readers = on.home, on.configuration.readers
    mode = stat.S_IMODE(home.path.stat().st_mode)
    if mode & 0o777 & ~(OPEN if has_readers else CLOSED):
        what = f"the home is open to others ({mode:o})"
        yield on.bad(what, "Start the server, which keeps them out")
    if has_readers:
        yield on.note("readers is true: other users of this machine can read the histories")
    for paths, wanted in (
        ([home.outbox.path], 700),
        ([home.key_path], 600),
        *(([home.path / name], 600) for name in (FOR_OWNER, FOR_DELIVER)),
        (files_of(home.database_path), 600),
    ):
        modes = ((path, stat.S_IMODE(each.st_mode)) for path, each in _found(paths).items())
        for path, mode in [each for each in modes if each[1] & 0o077][:1]:
            there = f"{shlex.quote(str(paths[0].absolute()))}{'*' if len(paths) > 1 else ''}"
            what = f"{on.name_of(path)} is open to others ({mode:o})"
            yield on.bad(what, "Do", command=f"chmod {wanted} {there}")


def _of_others(on: Examiner, files: Iterable[Path]) -> Iterator[Finding]:
    home = on.home.path
    owner = home.stat().st_uid
    owners = {path: each.st_uid for path, each in _found(files).items() if each.st_uid != owner}
    for path, uid in list(owners.items())[:1]:
        yield on.bad(
            f"{counted(len(owners), 'file')} in the home of {user_name(owner)}, the first "
            f"{on.name_of(path)} of {user_name(uid)}, belong to somebody else",
            "Do",
            command=shlex.join(["chown", "-R", user_name(owner), str(home.absolute())]),
        )


def _unusable(on: Examiner, files: Iterable[Path]) -> Iterator[Finding]:
    for path in _found(files):
        if not os.access(path, os.R_OK | os.W_OK | (os.X_OK if path.is_dir() else 0)):
            yield on.bad(
                f"{user_name(os.geteuid())} may not read and write {on.name_of(path)}",
                "Run the server as the user whom the home belongs to, with chmod u+rwX on it",
            )
            return


def _linked(on: Examiner, files: Iterable[Path]) -> Iterator[Finding]:
    for path in files:
        if path.is_symlink() and path != on.home.path:
            what = f"{on.name_of(path)} is a link, and links in the home are not followed"
            yield on.bad(what, "Put what it leads to in its place")


def _key(on: Examiner) -> Iterator[Finding]:
    try:
        if on.home.database.has_key:
            on.home.key()
        else:
            yield on.note("there is no key yet; the server makes one when it starts")
    except DatabaseFault:
        yield on.note("the key is not looked at, because the database cannot be read")
    except OSError as error:
        reason = str(error).removeprefix(f"{on.home.path}/")
        yield on.bad(reason, "Put the file back from a backup, or remove it for a new one")


LEAST_BYTES = 50 * 2**20
LEAST_FILES = 1000


def check_space(on: Examiner) -> Iterator[Finding]:
    """Yield a finding about free space."""
    free = shutil.disk_usage(on.home.path).free
    inodes = os.statvfs(on.home.path)
    if free < LEAST_BYTES:
        yield on.bad(f"{free >> 20} MiB are free", "Make room: a full disk stops all mail")
    elif inodes.f_files and inodes.f_favail < LEAST_FILES:
        room = counted(inodes.f_favail, "more file")
        yield on.bad(f"the disk has room for {room}", "Remove files that are not needed")
    else:
        yield on.ok(f"{free >> 20} MiB are free")


OLD = timedelta(days=730)
"""The age at which time zones are out of date; a few governments change theirs every year."""


def check_program(on: Examiner) -> Iterator[Finding]:
    """Yield the versions of the program and of its libraries."""
    zones = f"time zones of {IANA_VERSION}"
    python = platform.python_version()
    yield on.ok(f"pbm_oust {__version__}, tables of version {LATEST}, {zones}, Python {python}")
    if datetime(int(IANA_VERSION[:4]), 1, 1, tzinfo=UTC) < on.now - OLD:
        yield on.note(f"the {zones} are old; the library tzdata has newer ones")


CHECKS: Mapping[str, Check] = {
    "program": check_program,
    "configuration": check_configuration,
    "house": check_house,
    "server": check_server,
    "database": check_database,
    "histories": check_boards,
    "accounts": check_accounts,
    "outbox": check_letters,
    "limits": check_limits,
    "permissions": check_permissions,
    "space": check_space,
}
"""The checks of a home itself, in order, by name."""


def examine(
    home: Home, further: Mapping[str, Check], *, is_whole: bool = True
) -> Iterator[Finding]:
    """Yield the findings about a home, and those of further checks.

    `is_whole`: whether everything is examined, which takes minutes in a large home.
    """
    configured, now = home.configured, home.now()
    for about, check in (*CHECKS.items(), *further.items()):
        yield from examined(Examiner(home, about, configured, now, is_whole), check)
