"""A mail from its bytes to its meaning: limits, headers, text, and the writer's own words."""

from pbm_oust.mail.reading.limits import UnreadableMail
from pbm_oust.mail.reading.mail import Mail, read_mail, short_id, taken_apart, whole_texts

__all__ = ["Mail", "UnreadableMail", "read_mail", "short_id", "taken_apart", "whole_texts"]
