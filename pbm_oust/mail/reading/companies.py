"""What the mail servers of companies add: a warning above the text, a disclaimer below. Pure."""

import re
from collections.abc import Sequence

import re

_WARNINGS = (
    *("caution", "warning", "external", "attention", "alert", "notice", "be careful"),
    *("achtung", "vorsicht", "warnung", "extern", "let op", "pas op", "avertissement", "prudence"),
    *("externe", "atencion", "atención", "precaución", "aviso", "attenzione", "atenção", "cuidado"),
    *("varning", "advarsel", "uwaga", "внимание", "注意", "警告", "외부"),
)
_OUTSIDE = (
    *("external", "outside", "außerhalb", "extern", "extérieur", "externe", "externa", "externo"),
    *("buiten de organisatie", "fuera de", "esterno", "esterna", "all'esterno", "fora da"),
    *("zewnątrz", "zewnętrzn", "внешн", "外部", "외부"),
)
_DISCLAIMERS = (
    *("this e-mail", "this email", "this message", "this communication", "this transmission"),
    *("the information in this", "the information contained in this", "the contents of this"),
    *(
        "confidentiality notice",
        "confidentiality note",
        "disclaimer",
        "important notice",
        "notice:",
    ),
    *("confidential:", "privileged and confidential", "the content of this"),
    *(
        "diese e-mail",
        "diese mail",
        "diese nachricht",
        "der inhalt dieser",
        "hinweis:",
        "wichtiger",
    ),
    *("ce message", "ce courriel", "cet e-mail", "cet email", "ce mail", "les informations"),
    *("avis de confidentialité", "avertissement", "este mensaje", "este correo", "aviso legal"),
    *("esta mensagem", "este e-mail", "este email", "questo messaggio", "questa e-mail", "le info"),
    *("dit bericht", "deze e-mail", "de informatie", "detta meddelande", "denne e-mail"),
    *("denna e-post", "denne e-posten", "ta wiadomość", "niniejsza wiadomość"),
    *("данное сообщение", "это сообщение", "本邮件", "このメール", "本メール"),
)
_SECRET = (
    *("confidential", "privileged", "intended solely", "intended only", "intended recipient"),
    *("vertraulich", "confidentiel", "confidencia", "riservat", "vertrouwelijk", "destinataire"),
    *("konfidentiell", "fortrolig", "poufn", "конфиденциальн", "保密", "機密"),
)
_FOR_OTHERS = (
    *("in error", "addressee", "intended solely", "intended only", "intended recipient"),
    *("solely for", "it is addressed", "they are addressed"),
    *("irrtümlich", "richtige adressat", "den absender", "unbefugt", "par erreur", "destinataire"),
    *("non autorisée", "por error", "destinatari", "por engano", "per errore", "ten onrechte"),
    *("abusievelijk", "geadresseerde", "av misstag", "ved en feil", "ved en fejl", "adresat"),
    *("по ошибке", "误", "誤", "削除"),
)
_LONGEST_WARNING = 600
_LEAST_DISCLAIMER = 100
_MOST_LINES = 6
_AROUND = " \t*_[]<>(){}!#=|-~\u26a0\ufe0f\u2757"

_WARNS = re.compile(rf"(?:{'|'.join(map(re.escape, _WARNINGS))})(?!\w)", re.IGNORECASE)
_IS_OUTSIDE = re.compile("|".join(map(re.escape, _OUTSIDE)), re.IGNORECASE)
_DISCLAIMS = re.compile("|".join(map(re.escape, _DISCLAIMERS)), re.IGNORECASE)
_IS_FOR_OTHERS = re.compile("|".join(map(re.escape, _FOR_OTHERS)), re.IGNORECASE)
_IS_SECRET = re.compile("|".join(map(re.escape, _SECRET)), re.IGNORECASE)


def lines_of_warning(lines: Sequence[str]) -> int:
    """Return how many lines at the beginning of a text warn that it comes from outside.

    The warning is the first paragraph, and more is written below it.
    """
    begin = next((nth for nth, line in enumerate(lines[:_MOST_LINES]) if line.strip(_AROUND)), None)
    if begin is None or not _WARNS.match(lines[begin].strip(_AROUND)):
        return 0
    end = begin
    while end < len(lines) and end - begin < _MOST_LINES and lines[end].strip():
        end += 1
    warning = " ".join(lines[begin:end])
    is_whole = end < len(lines) and not lines[end].strip() and any(map(str.strip, lines[end:]))
    is_warning = len(warning) <= _LONGEST_WARNING and _IS_OUTSIDE.search(warning)
    return end if is_whole and is_warning else 0


def disclaimer(lines: Sequence[str], number: int) -> int:
    """Return how much of a disclaimer a paragraph has that begins on a line.

    It is 1 if it calls the mail confidential, 2 if it is long and also says for whom the mail is
    or what to do with one that went astray, as no person would write; otherwise 0.
    """
    if number == 0 or lines[number - 1].strip(_AROUND):
        return 0
    if not _DISCLAIMS.match(lines[number].strip(_AROUND)):
        return 0
    said = " ".join(lines[number : number + _MOST_LINES])
    if not _IS_SECRET.search(said):
        return 0
    return 2 if len(said) >= _LEAST_DISCLAIMER and _IS_FOR_OTHERS.search(said) else 1
