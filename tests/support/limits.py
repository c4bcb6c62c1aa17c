"""Limits that no trial reaches."""

from pbm_oust.store.limits import HIGHEST, SETTABLE, Limits

UNLIMITED = Limits(dict.fromkeys(SETTABLE.values(), HIGHEST))

UNLIMITED_TABLE = "\n".join(["[limits]", *(f"{key} = {HIGHEST}" for key in SETTABLE), ""])
"""The same in the configuration."""
