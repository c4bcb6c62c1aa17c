"""Mail as it arrives, read: what is refused, headers, the text, and whose words it has."""

from pbm_oust.mail.reading.headers import first_address
from pbm_oust.mail.reading.limits import UnreadableMail
from pbm_oust.mail.reading.mail import Mail, read_mail, whole_text

__all__ = ["Mail", "UnreadableMail", "first_address", "read_mail", "whole_text"]
