"""What mail programs and the mail servers of companies write around a text."""

import pytest

from pbm_oust.mail.reading.own_text import own_text

OWN = "D4\n\nGood luck!"
LETTER = "It is your turn, alice.\n\nAnswer this mail with your move, for example:  E5\n"
MARKED = "".join(f"> {line}\n" for line in LETTER.splitlines())
PBM = "pbm_oust <pbmserv@example.org>"

ATTRIBUTIONS = {
    "Zoho": f" ---- On Fri, 20 Nov 2026 15:36:00 +0100 {PBM} wrote ----",
    "Zoho, newer": f"---- On Fri, 20 Nov 2026 15:36:00 +0100 {PBM} wrote ---",
    "Zoho in French": f"---- Le ven., 20 nov. 2026 15:36:00 +0100 {PBM} a \u00e9crit ----",
    "Yahoo in English": f"On Friday, November 20, 2026, 03:36:00 PM GMT, {PBM} wrote:",
    "Yahoo in German": f"Am Freitag, 20. November 2026, 15:36:00 MEZ hat {PBM} "
    "Folgendes geschrieben:",
    "Yahoo in French": f"Le vendredi 20 novembre 2026 \u00e0 15:36:00 UTC+1, {PBM} a \u00e9crit :",
    "Yahoo in Spanish": f"El viernes, 20 de noviembre de 2026, 15:36:00 CET, {PBM} escribi\u00f3:",
    "Yahoo in Italian": f"Il venerd\u00ec 20 novembre 2026 alle 15:36:00 CET, {PBM} ha scritto:",
    "Yahoo in Portuguese": f"Em sexta-feira, 20 de novembro de 2026 15:36:00 BRT, {PBM} escreveu:",
    "Yahoo in Dutch": f"Op vrijdag 20 november 2026 15:36:00 CET heeft {PBM} "
    "het volgende geschreven:",
    "Yahoo in Swedish": f"Den fredag 20 november 2026 15:36:00 CET, {PBM} skrev:",
    "Yahoo in Danish": f"Fredag den 20. november 2026 15.36.00 CET skrev {PBM}:",
    "Yahoo in Norwegian": f"fredag 20. november 2026 15:36:00 CET skrev {PBM}:",
    "Yahoo in Finnish": f"perjantaina 20. marraskuuta 2026 klo 15.36.00 {PBM} kirjoitti:",
    "Yahoo in Polish": f"W dniu pi\u0105tek, 20 listopada 2026 15:36:00 CET {PBM} napisa\u0142(a):",
    "Yahoo in Czech": f"V p\u00e1tek 20. listopadu 2026 15:36:00 SE\u010c, {PBM} napsal(a):",
    "Yahoo in Hungarian": f"2026. november 20., p\u00e9ntek 15:36:00 CET, {PBM} ezt \u00edrta:",
    "Yahoo in Romanian": f"\u00cen vineri, 20 noiembrie 2026, 15:36:00 EET, {PBM} a scris:",
    "Yahoo in Greek": f"\u03a3\u03c4\u03b9\u03c2 20 \u039d\u03bf\u03b5 2026, {PBM} "
    "\u03ad\u03b3\u03c1\u03b1\u03c8\u03b5:",
    "Yahoo in Turkish": f"20 Kas\u0131m 2026 Cuma 15:36:00 GMT+3 tarihinde {PBM} "
    "\u015funlar\u0131 yazd\u0131:",
    "Yahoo in Vietnamese": f"V\u00e0o Th\u1ee9 6, 20 thg 11, 2026 {PBM} \u0111\u00e3 vi\u1ebft:",
    "Yahoo in Indonesian": f"Pada Jumat, 20 November 2026 15.36.00 WIB, {PBM} menulis:",
    "Yahoo in Russian": "\u0412 \u043f\u044f\u0442\u043d\u0438\u0446\u0430, "
    f"20 \u043d\u043e\u044f\u0431\u0440\u044f 2026, {PBM} "
    "\u043d\u0430\u043f\u0438\u0441\u0430\u043b(\u0430):",
    "Yahoo in Chinese": f"2026\u5e7411\u670820\u65e5 15:36:00, {PBM} \u5199\u9053\uff1a",
    "French over two lines": f"Le ven. 20 nov. 2026 \u00e0 15:36, {PBM} a\n\u00e9crit :",
    "French over three lines": "Le ven. 20 nov. 2026 \u00e0 15:36, pbm_oust\n"
    "<pbmserv@example.org>\na \u00e9crit :",
    "German over two lines": "Am Fr., 20. Nov. 2026 um 15:36 Uhr schrieb pbm_oust\n"
    "<pbmserv@example.org>:",
    "German over three lines": "Am Freitag, 20. November 2026\num 15:36 Uhr schrieb pbm_oust\n"
    "<pbmserv@example.org>:",
    "Russian over two lines": "\u043f\u0442, 20 \u043d\u043e\u044f\u0431. 2026 \u0433. \u0432 "
    "15:36, pbm_oust\n<pbmserv@example.org>:",
    "Italian over two lines": "Il giorno ven 20 nov 2026 alle ore 15:36 pbm_oust\n"
    "<pbmserv@example.org> ha scritto:",
    "old Gmail": f"2026/11/20 {PBM}",
    "old Gmail with a comma": f"2026/11/20, {PBM}",
    "Polymail": "On Fri, Nov 20, 2026 at 3:36 PM pbm_oust\n<\nmailto:pbmserv@example.org\n> wrote:",
    "headers in one line": f"From: {PBM} To: alice@example.org Sent: Friday Subject: oust 17",
    "headers in one line in French": f"De : {PBM} \u00c0 : Alice Envoy\u00e9 le : vendredi "
    "Objet : oust 17",
    "French headers": f"De: {PBM}\nEnvoy\u00e9 le: 20 novembre\n\u00c0: Alice\nSujet: oust 17",
    "Message du": f"Message du 20/11/26 15:36\nDe : {PBM}\nA : alice@example.org",
    "a wrapped header": f"From: {PBM}\nTo: Alice Liddell <alice@example.org>, The White Rabbit\n"
    " <rabbit@example.org>\nSubject: oust 17",
}
"""What stands above the letter that is answered."""


@pytest.mark.parametrize("above", ATTRIBUTIONS.values(), ids=list(ATTRIBUTIONS))
@pytest.mark.parametrize("quote", [MARKED, LETTER], ids=["marked", "unmarked"])
def test_what_is_written_above_a_letter_is_all_that_is_read(above: str, quote: str) -> None:
    own = own_text(f"{OWN}\n\n{above}\n\n{quote}")
    assert (own.sure, own.unsure) == (OWN, "")


@pytest.mark.parametrize(
    "above", [each for name, each in ATTRIBUTIONS.items() if "over" in name or "Yahoo" in name]
)
def test_what_is_written_below_a_marked_letter_is_read(above: str) -> None:
    assert own_text(f"{above}\n{MARKED}\n{OWN}\n").sure == OWN


@pytest.mark.parametrize(
    "footer",
    [
        "Sent with Proton Mail secure email.",
        "Sent with [Proton Mail](https://proton.me/) secure email.",
        "Sent from Proton Mail for iOS",
        "Envoy\u00e9 avec la messagerie s\u00e9curis\u00e9e Proton Mail.",
        "Get BlueMail for Android",
        "Get BlueMail for Desktop",
        "T\u00e9l\u00e9charger BlueMail pour Android",
        "BlueMail f\u00fcr Android herunterladen",
        "G\u1eedi t\u1eeb iPhone c\u1ee7a t\u00f4i",
        "G\u1eedi t\u1eeb Yahoo Mail tr\u00ean Android",
        "\u0110\u01b0\u1ee3c g\u1eedi t\u1eeb iPhone",
    ],
)
def test_what_programs_and_phones_write_below_goes(footer: str) -> None:
    assert own_text(f"{OWN}\n\n{footer}\n").whole == OWN


WARNINGS = (
    "CAUTION: This email originated from outside of the organization. Do not click links\n"
    "or open attachments unless you recognize the sender and know the content is safe.",
    "[EXTERNAL EMAIL]",
    "**WARNING** This message comes from an external sender.",
    "ATTENTION : ce courriel provient de l'ext\u00e9rieur de l'organisation.",
    "Achtung: Diese E-Mail kommt von au\u00dferhalb der Firma.",
)


@pytest.mark.parametrize("warning", WARNINGS)
def test_a_companys_warning_above_the_text_goes(warning: str) -> None:
    assert own_text(f"{warning}\n\n{OWN}").sure == OWN
    assert own_text(warning).whole == warning


@pytest.mark.parametrize(
    "text", ["Attention, your corner is weak.\n\nD4", "Warning:\n\nI will win.", "External D4"]
)
def test_a_warning_of_ones_own_stays(text: str) -> None:
    assert own_text(text).whole == text


DISCLAIMERS = (
    "This e-mail and any attachments are confidential and intended solely for\nthe addressee.",
    "CONFIDENTIALITY NOTICE: the contents of this email are privileged.",
    "Ce message et ses pi\u00e8ces jointes sont confidentiels et destin\u00e9s \u00e0 leur "
    "destinataire.",
    "Diese E-Mail enth\u00e4lt vertrauliche Informationen.",
    "Este mensaje es confidencial.",
)


@pytest.mark.parametrize("disclaimer", DISCLAIMERS)
def test_a_disclaimer_below_the_text_goes(disclaimer: str) -> None:
    assert own_text(f"{OWN}\n\n{disclaimer}\nPlease think before you print.").whole == OWN


@pytest.mark.parametrize(
    "text", ["This message is for Bob.\n\nHello.", "Hello.\n\nThis email is late.\n\nSorry."]
)
def test_a_paragraph_of_ones_own_about_a_mail_stays(text: str) -> None:
    assert own_text(text).whole == text


def test_the_ends_of_lines_that_a_program_has_broken_anew_are_no_text() -> None:
    quote = (
        "> It is your turn, alice: you play x and have 48 placements, of them\nD4\n> 3 capturing.\n"
    )
    assert own_text(f"{OWN}\n\n{quote}").whole == OWN
    assert own_text(f"{quote}\n{OWN}").sure == OWN
