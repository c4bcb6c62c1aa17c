"""Calendars that programs subscribe to. Pure.

An event stands before each deadline, and not a task, which most programs do not show of others'
calendars. There are no alarms in it: subscribers choose their own.

Sources: RFC 5545 (iCalendar), RFC 7986 (NAME and REFRESH-INTERVAL).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

import icalendar

MEDIA_TYPE = "text/calendar; charset=utf-8"
REFRESHED = timedelta(hours=1)
"""How often programs are asked to look."""
SHOWN = timedelta(hours=1)
"""How long an event is; it ends at the deadline."""


@dataclass(frozen=True, slots=True)
class Deadline:
    """Until when a player must have done something."""

    uid: str
    """What tells it from all others, wherever they come from."""
    title: str
    text: str
    address: str
    """Where it is seen what is to be done."""
    at: datetime
    since: datetime
    """When there was last any news about it."""
    sequence: int
    """A number that is higher whenever it has moved or says something else."""


def format_calendar(title: str, deadlines: Sequence[Deadline]) -> bytes:
    """Return a calendar with deadlines, as programs read it."""
    calendar = icalendar.Calendar()
    calendar.add("version", "2.0")
    calendar.add("prodid", "-//pbm_oust//EN")
    calendar.add("method", "PUBLISH")
    calendar.add("name", title)
    calendar.add("x-wr-calname", title)  # what most programs read instead
    calendar.add("refresh-interval", REFRESHED, parameters={"VALUE": "DURATION"})
    calendar.add("x-published-ttl", icalendar.vDuration(REFRESHED))
    for each in deadlines:
        calendar.add_component(_event(each))
    if not deadlines:
        calendar.add_component(_utc())  # a calendar has one component at least (RFC 5545, 3.6)
    written: bytes = calendar.to_ical()
    return written


def _event(deadline: Deadline) -> icalendar.Event:
    event = icalendar.Event()
    event.add("uid", deadline.uid)
    event.add("dtstamp", deadline.since)
    event.add("last-modified", deadline.since)
    event.add("sequence", deadline.sequence)
    event.add("dtstart", deadline.at - SHOWN)
    event.add("dtend", deadline.at)
    event.add("summary", deadline.title)
    event.add("description", deadline.text)
    event.add("url", deadline.address)
    event.add("transp", "TRANSPARENT")  # nobody is busy because of it
    return event


def _utc() -> icalendar.Timezone:
    """Return the time zone in which all times here are; it shows nothing."""
    standard = icalendar.TimezoneStandard()
    standard.add("dtstart", datetime(1970, 1, 1))
    standard.add("tzoffsetfrom", timedelta())
    standard.add("tzoffsetto", timedelta())
    standard.add("tzname", "UTC")
    zone = icalendar.Timezone()
    zone.add("tzid", "Etc/UTC")
    zone.add_component(standard)
    return zone
