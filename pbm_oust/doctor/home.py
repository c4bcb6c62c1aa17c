"""The home: its configuration, its files on the host, its database, and letters on their way.

Also the relay that takes them, and limits that left mails unanswered.
"""

import os
import shlex
import shutil
import stat
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta
from itertools import chain
from pathlib import Path

from pbm_oust.accounts.address import is_address, normal_address
from pbm_oust.accounts.tags import envelope_sender
from pbm_oust.board.notation import format_time
from pbm_oust.doctor import RESTORE, Examiner, Finding, counted, first_of, readable, status, within
from pbm_oust.doctor.boards import check_accounts, check_boards
from pbm_oust.mail.own_socket import FOR_DELIVER, FOR_OWNER
from pbm_oust.mail.relay import connected
from pbm_oust.mail.tls import read_certificate
from pbm_oust.robot.search import lack
from pbm_oust.rules import KINDS
from pbm_oust.store import configuration as configurations
from pbm_oust.store.accounts import is_known
from pbm_oust.store.database import Row, Snapshot
from pbm_oust.store.disk import CLOSED, OPEN, user_name
from pbm_oust.store.faults import DatabaseFault, command_line
from pbm_oust.store.home import Home
from pbm_oust.store.letters import Letter, LetterState
from pbm_oust.store.limits import SETTABLE, Counted, number_counted
from pbm_oust.store.outbox import name_of
from pbm_oust.store.ratings import is_counting, wrongly_rated
from pbm_oust.store.sqlite import files_of
from pbm_oust.store.upkeep import LONGEST_DUE
from pbm_oust.store.verifications import addresses_asked

LEAST_BYTES = 50 * 2**20
LEAST_FILES = 1000

_on_permissions = Examiner("permissions")
_on_space = Examiner("space")


def check_host(home: Home, configuration: configurations.Configuration) -> Iterator[Finding]:
    """Yield findings about what others can read, who owns the files, and free space."""
    files = _files(home)
    yield from _on_permissions.all_or(
        "private files are private, and all belong to one user",
        [
            *_open_to_others(home, configuration.readers),
            *_of_others(home, files),
            *_unusable(home, files),
            *_linked(home, files),
            *_key(home),
        ],
    )
    free = shutil.disk_usage(home.path).free
    inodes = os.statvfs(home.path)
    if free < LEAST_BYTES:
        yield _on_space.bad(f"{free >> 20} MiB are free", "Make room: a full disk stops all mail")
    elif inodes.f_files and inodes.f_favail < LEAST_FILES:
        room = counted(inodes.f_favail, "more file")
        yield _on_space.bad(f"the disk has room for {room}", "Remove files that are not needed")
    else:
        yield _on_space.ok(f"{free >> 20} MiB are free")


def _open_to_others(home: Home, has_readers: bool) -> Iterator[Finding]:
    mode = stat.S_IMODE(home.path.stat().st_mode)
    if mode & 0o777 & ~(OPEN if has_readers else CLOSED):
        yield _on_permissions.bad(
            f"the home is open to others ({mode:o})", "Start the server, which keeps them out"
        )
    if has_readers:
        yield _on_permissions.note(
            "readers is true: other users of this machine can read the histories"
        )
    for paths, wanted in (
        ([home.outbox.path], 700),
        ([home.key_path], 600),
        *(([home.path / name], 600) for name in (FOR_OWNER, FOR_DELIVER)),
        (files_of(home.database_path), 600),
    ):
        modes = [(path, stat.S_IMODE(found.st_mode)) for path in paths if (found := status(path))]
        for path, mode in [each for each in modes if each[1] & 0o077][:1]:
            name, there = within(home.path, path), shlex.quote(str(paths[0].absolute()))
            yield _on_permissions.bad(
                f"{name} is open to others ({mode:o})",
                "Do",
                f"chmod {wanted} {there}{'*' if len(paths) > 1 else ''}",
            )


def _of_others(home: Home, files: Iterable[Path]) -> Iterator[Finding]:
    owner = home.path.stat().st_uid
    found = ((path, status(path)) for path in files)
    strange = [
        (path, is_there.st_uid) for path, is_there in found if is_there and is_there.st_uid != owner
    ]
    if strange:
        path, uid = strange[0]
        first = f"{within(home.path, path)} of {user_name(uid)}"
        yield _on_permissions.bad(
            f"{counted(len(strange), 'file')} in the home of {user_name(owner)}, "
            f"the first {first}, belong to somebody else",
            "Do",
            shlex.join(["chown", "-R", user_name(owner), str(home.path.absolute())]),
        )


def _linked(home: Home, files: Iterable[Path]) -> Iterator[Finding]:
    for path in files:
        if path.is_symlink() and path != home.path:
            yield _on_permissions.bad(
                f"{within(home.path, path)} is a link, and links in the home are not followed",
                "Put what it leads to in its place",
            )


def _unusable(home: Home, files: Iterable[Path]) -> Iterator[Finding]:
    for path in files:
        wanted = os.R_OK | os.W_OK | (os.X_OK if path.is_dir() else 0)
        if not os.access(path, wanted) and status(path):
            user = user_name(os.geteuid())
            yield _on_permissions.bad(
                f"{user} may not read and write {within(home.path, path)}",
                "Run the server as the user whom the home belongs to, with chmod u+rwX on it",
            )
            return


def _files(home: Home) -> list[Path]:
    """Return the files and folders that the server uses, without what others put there."""
    folders = [home.outbox.path, *(home.path / kind for kind in KINDS)]
    below = (path for folder in folders for path in [folder, *folder.rglob("*")])
    own = (home.path, home.key_path, *files_of(home.database_path))
    return [path for path in (*own, *below) if os.path.lexists(path)]


def _key(home: Home) -> Iterator[Finding]:
    try:
        if home.database.has_key:
            home.key()
        else:
            yield _on_permissions.note("there is no key yet; the server makes one when it starts")
    except DatabaseFault:
        yield _on_permissions.note("the key is not looked at, because the database cannot be read")
    except OSError as error:
        reason = str(error).removeprefix(f"{home.path}/")
        yield _on_permissions.bad(
            reason, "Put the file back from a backup, or remove it for a new one"
        )


LONGEST_LOCAL_PART = 40
"""The most characters before the @ that leave room for our tags (RFC 5321, section 4.5.3.1.1)."""

_on_configuration = Examiner("configuration")


def check_configuration(home: Home) -> Iterator[Finding]:
    """Yield findings about `pbm_oust.toml`."""
    name = home.configuration.name
    try:
        configuration = configurations.parse_configuration(home.read_configuration())
        read_certificate(configuration)
    except (configurations.BadConfiguration, OSError) as error:
        yield _on_configuration.bad(
            f"{name}: {error}", "The server does not start until this is mended"
        )
        return
    where = configuration.relay or "the outbox only"
    text = f"{configuration.address} takes commands, letters go to {where}"
    yield from _on_configuration.all_or(text, _parts(configuration, name))


def _parts(configuration: configurations.Configuration, name: str) -> Iterator[Finding]:
    local, _, host = configuration.address.rpartition("@")
    if len(local) > LONGEST_LOCAL_PART:
        yield _on_configuration.bad(
            f"{name}: address: {local} has {len(local)} characters before the @",
            f"Take one of at most {LONGEST_LOCAL_PART}, so that there is room for tags behind it",
        )
    if configuration.relay and host == "localhost":
        yield _on_configuration.bad(
            f"{name}: address: {configuration.address} cannot be answered from another host",
            "Set the address to which players write",
        )
    for key in ("mail_servers", "proxies", "web_proxies"):
        for network in getattr(configuration, key):
            if network.prefixlen == 0:
                yield _on_configuration.bad(
                    f"{name}: {key}: {network} is every host there is",
                    "Name only hosts of your own",
                )
    is_brought_by_socket = configuration.lmtp is not None and configuration.lmtp.path
    if configuration.authserv_id and not (configuration.mail_servers or is_brought_by_socket):
        yield _on_configuration.bad(
            f"{name}: authserv_id: no mail comes from a mail server of yours, so nothing counts",
            "Name the mail server in mail_servers, or let it hand mail over at a Unix socket",
        )
    if not (configuration.smtp or configuration.smtps or configuration.lmtp):
        yield _on_configuration.note(
            f"{name}: neither smtp nor smtps nor lmtp is set, so mail comes by deliver only"
        )
    for key, endpoint in (("smtp", configuration.smtp), ("lmtp", configuration.lmtp)):
        if endpoint and endpoint == configuration.relay:
            yield _on_configuration.bad(
                f"{name}: relay: {endpoint} is where the server itself listens for {key}",
                "Name the mail server that letters are handed to",
            )
        yield from _socket(key, endpoint, name)


def _socket(key: str, endpoint: configurations.Endpoint | None, name: str) -> Iterator[Finding]:
    folder = Path(endpoint.path).parent if endpoint and endpoint.path else None
    if folder and not folder.is_dir():
        yield _on_configuration.bad(
            f"{name}: {key}: there is no folder {folder} for the socket",
            "Make it, or name another path",
        )


_on_house = Examiner("house")


def check_house(configuration: configurations.Configuration) -> Iterator[Finding]:
    """Yield findings about how the house thinks, if it plays or analyses."""
    if configuration.house is configurations.House.OFF and not configuration.analyses:
        return
    if reason := lack():
        yield _on_house.note(
            f"house1 to house3 play in a simple way and analyse nothing, because {reason}"
        )
    else:
        yield _on_house.ok("house1 to house3 search with the compiled core")


_on_database = Examiner("database")


def check_database(home: Home) -> Iterator[Finding]:
    """Yield findings about the database."""
    if home.is_unfinished:
        yield _on_database.bad(
            "restoring this home, or copying it, was broken off", "Empty the home, and begin again"
        )
        return
    try:
        if not home.database.is_made:
            yield _on_database.note("there is none yet; the server makes it when it starts")
            return
        with home.database.read() as snapshot:
            findings = [
                *([] if home.is_on_server else _damage(snapshot)),
                *_ratings(home, snapshot),
            ]
    except DatabaseFault as fault:
        yield _on_database.bad(str(fault), "Until then no mail is taken")
        return
    yield from _on_database.all_or("it is whole", findings)


def _damage(snapshot: Snapshot) -> Iterator[Finding]:
    """Yield what is wrong with the tables in a file."""
    for (text,) in snapshot.rows("PRAGMA integrity_check(5)"):
        if text != "ok":
            yield _on_database.bad(f"it is damaged: {text}", RESTORE)
    rows = snapshot.rows("PRAGMA foreign_key_check")
    for (table, parent), number in sorted(Counter((row[0], row[2]) for row in rows).items()):
        yield _on_database.bad(
            f"{counted(number, 'row')} of {table} without the row of {parent} that belongs to it",
            RESTORE,
        )


def _ratings(home: Home, snapshot: Snapshot) -> Iterator[Finding]:
    """Yield the kinds whose ratings are not those that their games give."""
    for kind in KINDS.values():
        if is_counting(snapshot, kind):
            yield _on_database.note(
                f"games of {kind.name} are still to be counted for ratings; "
                "the server does that, and so does",
                command_line(home.path, "sweep"),
            )
        elif wrongly_rated(snapshot, kind):
            yield _on_database.bad(
                f"the ratings of {kind.name} are not those that its finished games give",
                "Do",
                command_line(home.path, "ratings", "--recompute"),
            )


OLDEST = 150000
"""The number of the oldest version that is tested."""

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
"""The statement that gives the tables and sequences that we may not use as we have to."""

_on_server = Examiner("server")


def check_server(home: Home) -> Iterator[Finding]:
    """Yield findings about the database server; none for a home in files."""
    if not home.is_on_server:
        return
    try:
        with home.database.read() as snapshot:
            (facts,) = snapshot.rows(_SETTINGS)
            forbidden = [name for (name,) in snapshot.rows(_FORBIDDEN)]
    except DatabaseFault:
        yield _on_server.note("not looked at, because it cannot be reached or used")
        return
    version, _, encoding, commit, *_ = facts
    text = f"PostgreSQL {version}, {encoding}, synchronous_commit is {commit}"
    yield from _on_server.all_or(text, _of_server(home.path, facts, forbidden))


def _of_server(home: Path, facts: Row, forbidden: list[str]) -> Iterator[Finding]:
    """Yield what is wrong with a server whose `_SETTINGS` these are, and what we may not do."""
    version, number, encoding, _, survives, is_standby, is_read_only, is_superuser = facts
    if number < OLDEST:
        yield _on_server.bad(f"PostgreSQL {version} is too old", "Take version 15 or later")
    if encoding != "UTF8":
        yield _on_server.bad(
            f"the encoding of the database is {encoding}",
            "Make one with UTF8, and copy the home to a new folder TO whose configuration names it",
            command_line(None, "home", "copy", str(home.absolute()), "TO"),
        )
    if not survives:
        yield _on_server.bad(
            "fsync or full_page_writes is off, so mails that were acknowledged may be lost",
            "Turn both on in the configuration of PostgreSQL",
        )
    if is_standby:
        yield _on_server.bad(
            "it is a standby, which can only be read",
            "Name the server in store that others follow, or let this one take its place",
        )
    elif is_read_only:
        yield _on_server.bad(
            "transactions are read-only there",
            "Set default_transaction_read_only to off for the database and its role",
        )
    if forbidden:
        yield _on_server.bad(
            f"we may not read and write {first_of(forbidden)}",
            "Grant it: see Roles and rights in docs/several-hosts.md",
        )
    if is_superuser:
        yield _on_server.note("we connect as a superuser; a role that owns nothing is enough")


LONGEST_WAIT = timedelta(days=1)
"""How long a letter may wait for the relay before the operator should look."""
LONGEST_STAGE = timedelta(hours=1)

_on_outbox = Examiner("outbox")


@readable(_on_outbox)
def check_letters(
    home: Home, configuration: configurations.Configuration, now: datetime
) -> Iterator[Finding]:
    """Yield findings about the letters in the outbox."""
    listed = home.outbox.listed()
    waiting = [each for each in listed if each.state in (LetterState.WAITING, LetterState.FILE)]
    held = [each for each in listed if each.state is LetterState.HELD]
    failed = [each for each in listed if each.state is LetterState.FAILED]
    findings = chain(
        _without_reader(home, [*waiting, *held]),
        _late(home, waiting, configuration, now),
        _held(home, held),
        _failed(home, failed),
        _unfinished(home, now),
    )
    since = format_time(min((letter.posted for letter in waiting), default=now))
    oldest = f", the oldest since {since}" if waiting else ""
    yield from _on_outbox.all_or(f"{counted(len(waiting), 'letter')} waiting{oldest}", findings)


def _without_reader(home: Home, letters: Iterable[Letter]) -> Iterator[Finding]:
    """Yield the letters that reach nobody, and those to unknown addresses."""
    for letter in letters:
        name, recipient = name_of(letter), letter.head.recipient
        if not is_address(recipient):
            yield _on_outbox.bad(
                f"the letter {name} goes to {recipient!r}, which is no address",
                "Look at it",
                command_line(home.path, "outbox", "show", name),
            )
        elif not (letter.head.is_answer or home.ask(_has_reader, recipient)):
            yield _on_outbox.note(f"the letter {name} goes to {recipient}, which no account has")


def _has_reader(snapshot: Snapshot, address: str) -> bool:
    """Return whether an account has an address, or a code was mailed there."""
    return is_known(snapshot, address) or normal_address(address) in addresses_asked(snapshot)


def _late(
    home: Home, letters: list[Letter], configuration: configurations.Configuration, now: datetime
) -> Iterator[Finding]:
    oldest = min((letter.posted for letter in letters), default=now)
    due = min((letter.next_try for letter in letters), default=now)
    to_relay = (each.next_try for each in letters if each.state is LetterState.WAITING)
    last = max(to_relay, default=now)
    if last > now + LONGEST_WAIT:
        yield _on_outbox.note(
            f"letters wait until {format_time(last)}, as a clock was ahead when they were written; "
            "they leave all the same, at once with: pbm-oust outbox flush"
        )
    if configuration.relay and oldest < now - LONGEST_WAIT:
        yield _on_outbox.bad(
            f"letters wait for the relay since {format_time(oldest)}",
            "See whether it answers",
            command_line(home.path, "doctor", "--relay"),
        )
    elif configuration.relay and due < now - LONGEST_DUE:
        yield _on_outbox.bad(
            f"letters are due since {format_time(due)} and do not leave",
            "See whether a server runs, and whether the relay answers",
            command_line(home.path, "doctor", "--relay"),
        )


def _held(home: Home, letters: list[Letter]) -> Iterator[Finding]:
    if letters:
        yield _on_outbox.note(
            f"{counted(len(letters), 'letter')} held back since a backup was restored; to let go "
            "what is held back",
            command_line(home.path, "outbox", "resume"),
        )


def _failed(home: Home, letters: list[Letter]) -> Iterator[Finding]:
    if letters:
        latest, name = letters[-1], name_of(letters[-1])
        yield _on_outbox.bad(
            f"{counted(len(letters), 'letter')} failed, the latest to {latest.head.recipient}",
            "Look at it, and then use retry or remove in the place of show",
            command_line(home.path, "outbox", "show", name),
        )


def _unfinished(home: Home, now: datetime) -> Iterator[Finding]:
    """Yield what is left in outbox/tmp; a running server finishes it within a minute."""
    found = ((path, status(path)) for path in (home.outbox.path / "tmp").glob("*"))
    before = (now - LONGEST_STAGE).timestamp()
    old = [path for path, is_there in found if is_there and is_there.st_mtime < before]
    if old:
        yield _on_outbox.bad(
            f"{counted(len(old), 'file')} in outbox/tmp, the first {old[0].name}, stay unfinished",
            "Start the server, which finishes letters; remove what is none",
        )


_on_relay = Examiner("relay")


def check_relay(home: Home, configuration: configurations.Configuration) -> Iterator[Finding]:
    """Yield what the relay says when we greet it and name ourselves; nothing is sent."""
    relay, address = configuration.relay, configuration.address
    if relay is None:
        yield _on_relay.bad(
            "no relay is set, so letters stay in the outbox",
            f"Set relay in {home.configuration.name}",
        )
        return
    try:
        with connected(relay, address) as smtp:
            code, text = smtp.mail(envelope_sender(address, home.key(), address))
            smtp.rset()
    except OSError as error:
        yield _on_relay.bad(
            f"{relay} does not answer: {error}", "See whether it runs and listens there"
        )
        return
    words = text.decode("ascii", "replace")
    if code == 250:
        yield _on_relay.ok(f"{relay} answers and takes letters from us")
    else:
        yield _on_relay.bad(
            f"{relay} does not take letters from us: {code} {words}",
            "Allow this host to send through it",
        )


_on_limits = Examiner("limits")


def check_limits(home: Home, now: datetime) -> Iterator[Finding]:
    """Yield a note about each limit that has left mails unanswered lately."""
    try:
        silenced = {
            word: home.ask(number_counted, Counted.SILENCES, word, now) for word in SETTABLE
        }
    except DatabaseFault:
        return
    for word, number in silenced.items():
        if number:
            yield _on_limits.note(f"{counted(number, 'mail')} within a day got no answer: {word}")


def examine(home: Home, with_relay: bool) -> Iterator[Finding]:
    """Yield all findings about a home; the relay is greeted only if that is wanted."""
    now, configured = home.now(), home.configured
    yield from check_configuration(home)
    yield from check_house(configured)
    yield from check_server(home)
    yield from check_database(home)
    yield from check_boards(home, now)
    yield from check_accounts(home)
    yield from check_letters(home, configured, now)
    yield from check_limits(home, now)
    yield from check_host(home, configured)
    if with_relay:
        yield from check_relay(home, configured)
