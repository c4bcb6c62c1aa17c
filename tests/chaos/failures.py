"""What happens to several hosts and their databases."""

from enum import Enum


class Failure(Enum):
    """What happens; the value stands in the report."""

    KILLED = "servers killed"
    RESTARTED = "databases started again"
    CRASHED = "databases killed"
    FIRST_KILLED = "first processes of databases killed"
    FAILED_OVER = "failovers to the standby"
    CUT_OFF = "hosts cut off"
    STANDBY_CUT_OFF = "standbys cut off"
