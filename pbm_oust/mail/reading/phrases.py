"""What mail programs add to what a person writes, in many languages: data, no code.

Case does not matter. `{}` stands for a device or a program, in one to five words.
"""

import re
from collections.abc import Sequence

from pbm_oust.grammar.words import normal_form

REPLY_PREFIXES = (
    # English, and what most programs write whatever their language: Gmail, Outlook, mutt, Alpine
    *("re", "r", "fw", "fwd", "f"),
    # German: Outlook, Thunderbird, GMX, Lotus Notes
    *("aw", "antw", "antwort", "wg", "weitergeleitet"),
    # Swedish, Danish, Norwegian, Finnish: Outlook
    *("sv", "vb", "vs", "vl", "svar"),
    # Dutch: Outlook, KPN
    *("doorst", "betreft"),
    # French: Outlook, La Poste, Orange
    *("ref", "rép", "réf", "tr"),
    # Spanish and Portuguese: Outlook, Terra, UOL
    *("res", "resp", "rv", "enc"),
    # Italian: Outlook, Libero, Lotus Notes
    *("i", "rif", "inoltra"),
    # Polish, Czech, Slovak, Hungarian, Romanian, Croatian
    *("odp", "pd", "vá", "vál", "továbbítás", "na", "pn", "prp", "prosl"),
    # Turkish, Greek, Icelandic, Welsh, Estonian, Lithuanian, Latvian
    *("ynt", "ilt", "απ", "πρθ", "σχετ", "atb", "ps", "þýs", "edt"),
    # Russian, Ukrainian, Bulgarian
    *("отв", "ответ", "на", "пересл", "вiдп", "відп", "отг"),
    # Vietnamese, Indonesian, Malay
    *("trl", "ct", "bls", "trs", "bd"),
    # Chinese, Japanese, Korean: QQ Mail, NetEase, Foxmail, Becky
    *("回复", "答复", "转发", "回覆", "轉寄", "返信", "転送", "회신", "답장", "전달"),
    # Hebrew, Arabic, Persian: Outlook
    *("השב", "הועבר", "תשובה", "רד", "إعادة توجيه", "پاسخ"),
)
"""Words in front of a Subject, followed by a colon, perhaps with a counter between."""

NO_SUBJECTS = (
    *(
        "no subject",
        "none",
        "kein betreff",
        "ohne betreff",
        "sans objet",
        "pas d'objet",
        "aucun objet",
    ),
    *("pas de sujet", "aucun sujet", "sans titre", "sin asunto", "sem assunto", "nessun oggetto"),
    *("senza oggetto", "geen onderwerp", "inget ämne", "intet emne", "uden emne", "ingen emne"),
    *("ei aihetta", "brak tematu", "bez tematu", "bez předmětu", "nincs tárgy", "konu yok"),
    *("без темы", "χωρίς θέμα", "无主题", "無主旨", "件名なし", "제목 없음", "ללא נושא"),
)
"""What mail programs write as the Subject where a person wrote none, mostly in brackets."""

SPAM_TAGS = (
    "spam",
    "suspected spam",
    "possible spam",
    "junk",
    "bulk",
    "spam?",
    "extern",
    "external",
)
"""What spam filters write in front of a Subject, between asterisks or braces."""

AUTOMATIC_REPLIES = (
    # English: Outlook, Exchange of old, vacation(1), and holiday programs of many hosts
    *("automatic reply", "auto reply", "auto-reply", "autoreply", "automatic response"),
    *("auto response", "auto-response", "automated reply", "automated response", "auto"),
    *("out of office", "out of office autoreply", "out of office reply", "out-of-office"),
    *("out of the office", "vacation reply", "vacation response", "away from my mail"),
    # German, Dutch
    *("automatische antwort", "abwesenheitsnotiz", "abwesenheitsassistent", "autom. antwort"),
    *("automatisch antwoord", "automatisch bericht", "afwezigheidsbericht", "niet aanwezig"),
    # Swedish, Danish, Norwegian, Finnish
    *("automatiskt svar", "frånvaromeddelande", "autosvar", "automatisk svar", "fraværsmelding"),
    *("automaattinen vastaus", "poissaoloviesti", "fraværsmeddelelse"),
    # French, Spanish, Catalan, Portuguese, Italian, Romanian
    *("réponse automatique", "absence du bureau", "message d'absence", "réponse d'absence"),
    *("respuesta automática", "fuera de la oficina", "resposta automàtica", "fora de l'oficina"),
    *("resposta automática", "fora do escritório", "ausência temporária", "risposta automatica"),
    *("fuori sede", "fuori ufficio", "răspuns automat"),
    # Polish, Czech, Slovak, Croatian, Hungarian
    *("odpowiedź automatyczna", "autoodpowiedź", "automatická odpověď", "automatická odpoveď"),
    *("automatski odgovor", "automatikus válasz"),
    # Russian, Ukrainian, Bulgarian, Greek, Turkish
    *("автоматический ответ", "автоответ", "автоматична відповідь", "автоматичен отговор"),
    *("αυτόματη απάντηση", "otomatik yanıt", "otomatik cevap"),
    # Chinese, Japanese, Korean, Hebrew, Arabic
    *("自动回复", "自動回覆", "自動回复", "自動応答", "自動返信", "不在通知", "자동 회신"),
    *("자동 응답", "부재중", "תשובה אוטומטית", "מענה אוטומטי", "رد تلقائي"),
)
"""How the Subjects of automatic replies begin, followed by a colon or by nothing."""

SAID = (
    # English, German, Dutch, Afrikaans
    *("wrote", "writes", "said", "schrieb", "geschrieben", "schreef", "geschreven", "het geskryf"),
    # Swedish, Danish, Norwegian, Finnish, Icelandic
    *("skrev", "skreiv", "kirjoitti", "skrifaði"),
    # French, Spanish, Catalan, Portuguese, Italian, Romanian
    *("a écrit", "écrivit", "escribió", "ha escrit", "va escriure", "escreveu", "ha scritto"),
    *("a scris",),
    # Polish, Czech, Slovak, Slovene, Croatian, Hungarian
    *("pisze", "napisał", "napisała", "napisał(a)", "napsal", "napsala", "napsal(a)", "napísal"),
    *("napísal(a)", "je napisal", "je napisao", "ezt írta", "írta"),
    # Russian, Ukrainian, Bulgarian, Serbian
    *("пишет", "писал", "писал(а)", "написал", "написал(а)", "пише", "написав", "написа"),
    # Greek, Turkish, Lithuanian, Latvian, Estonian
    *("έγραψε", "yazdı", "rašė", "rakstīja", "kirjutas"),
    # Vietnamese, Indonesian, Thai, Hebrew, Arabic
    *("đã viết", "menulis", "เขียนว่า", "כתב", "כתבה", "כתב/ה", "كتب", "تمت كتابة"),
    # Chinese, Japanese, Korean
    *("写道", "寫道", "写于", "のメール", "は書きました", "wrote", "작성"),
)
"""The verb of the sentence above a quote: On Friday, Bob wrote:"""

OPENINGS = (
    *("on", "am", "le", "il", "el", "op", "em", "den", "dne", "dnia", "w dniu", "pada", "at", "in"),
    *(
        "a",
        "în",
        "στις",
        "vào",
        "in article",
        "quoting",
        "zitat von",
        "citando",
        "du",
        "från",
        "von",
    ),
    *("em seg", "el dia", "em", "dňa", "ha", "data", "date", "בתאריך", "في", "ในวันที่", "ngày"),
)
"""How that sentence begins; needed if it is broken into lines."""

ANNOUNCEMENTS = (
    *("original message", "forwarded message", "forwarded mail", "original appointment"),
    *("begin forwarded message", "start of forwarded message", "reply message"),
    *("ursprüngliche nachricht", "originalnachricht", "original-nachricht"),
    *("weitergeleitete nachricht", "anfang der weitergeleiteten nachricht"),
    *("message d'origine", "message original", "message transféré", "début du message réexpédié"),
    *("début du message transféré", "mensaje original", "mensaje reenviado"),
    *("inicio del mensaje reenviado", "messaggio originale", "messaggio inoltrato"),
    *("inizio messaggio inoltrato", "oorspronkelijk bericht", "doorgestuurd bericht"),
    *("begin doorgestuurd bericht", "mensagem original", "mensagem encaminhada"),
    *("início da mensagem encaminhada", "ursprungligt meddelande", "vidarebefordrat meddelande"),
    *("originalt meddelande", "oprindelig meddelelse", "videresendt meddelelse"),
    *("opprinnelig melding", "videresendt melding", "alkuperäinen viesti", "välitetty viesti"),
    *("wiadomość oryginalna", "oryginalna wiadomość", "wiadomość przekazana"),
    *("původní zpráva", "přeposlaná zpráva", "pôvodná správa", "eredeti üzenet"),
    *("továbbított üzenet", "mesaj original", "orijinal mesaj", "iletilen mesaj", "özgün ileti"),
    *("исходное сообщение", "пересылаемое сообщение", "перенаправленное сообщение"),
    *("вихідне повідомлення", "αρχικό μήνυμα", "προωθημένο μήνυμα", "tin nhắn gốc"),
    *("原始邮件", "转发邮件信息", "转发的邮件", "原始郵件", "原始信件", "元のメッセージ"),
    *(
        "転送メッセージ",
        "転送されたメッセージ",
        "원본 메시지",
        "원본 메일",
        "הודעה מקורית",
        "الرسالة الأصلية",
    ),
)
"""What the line above an older message says, between dashes or before a colon."""

SUBJECT_NAMES = (
    *(
        "subject",
        "betreff",
        "objet",
        "sujet",
        "asunto",
        "assunto",
        "oggetto",
        "onderwerp",
        "emne",
        "ämne",
    ),
    *("aihe", "temat", "předmět", "predmet", "tárgy", "konu", "тема", "θέμα", "subiect", "chủ đề"),
    *("主题", "主旨", "件名", "제목", "נושא", "الموضوع", "subjek", "importance", "priority"),
    *("wichtigkeit", "message-id"),
)
"""Names of headers that say what a message is about: nobody writes these in a list of their own."""

HEADER_NAMES = (
    # From
    *("from", "von", "de", "da", "van", "fra", "från", "lähettäjä", "od", "feladó", "kimden"),
    *(
        "gönderen",
        "от",
        "от кого",
        "від",
        "από",
        "từ",
        "dari",
        "发件人",
        "寄件者",
        "差出人",
        "送信者",
    ),
    *("보낸 사람", "보낸사람", "מאת", "من", "von/from"),
    # Sent, Date
    *(
        "sent",
        "date",
        "gesendet",
        "datum",
        "envoyé",
        "envoyé le",
        "enviado",
        "enviado el",
        "enviada em",
        "data",
    ),
    *("fecha", "inviato", "verzonden", "sendt", "dato", "skickat", "lähetetty", "päivämäärä"),
    *(
        "wysłano",
        "wysłane",
        "odesláno",
        "odoslané",
        "dátum",
        "elküldve",
        "gönderme tarihi",
        "tarih",
    ),
    *("отправлено", "дата", "надіслано", "στάλθηκε", "ημερομηνία", "đã gửi", "发送时间", "日期"),
    *("寄件日期", "送信日時", "日付", "날짜", "보낸 날짜", "נשלח", "תאריך", "التاريخ", "sent on"),
    # To, Cc
    *("to", "an", "à", "para", "a", "aan", "til", "till", "vastaanottaja", "do", "komu", "címzett"),
    *(
        "kime",
        "alıcı",
        "кому",
        "προς",
        "đến",
        "kepada",
        "收件人",
        "收件者",
        "宛先",
        "받는 사람",
        "받는사람",
    ),
    *("אל", "إلى", "cc", "kopie", "kopia", "kopi", "kopio", "copie à", "копия", "抄送", "副本"),
    *("reply-to", "antwort an", "répondre à", "bcc", "copie", "cci", "reçu le", "gesendet am"),
    *SUBJECT_NAMES,
)
"""Names of the headers that Outlook and others write above the answered message."""

PHONE_FOOTERS = (
    # English
    *("sent from my {}", "sent from {}", "sent via {}", "sent with {}", "sent using {}"),
    *("get outlook for {}", "get {} for ios", "get {} for android", "get {} for desktop"),
    *("sent from my {}. please excuse my brevity", "sent from my {}, please excuse any typos"),
    *("sent from my {}, so please excuse any typos", "sent on the go"),
    # German
    *("von meinem {} gesendet", "gesendet von meinem {}", "gesendet von {}", "von {} gesendet"),
    *("holen sie sich {} für android", "{} für android herunterladen", "hol dir {} für android"),
    *("gesendet mit {}", "diese nachricht wurde von meinem {} gesendet", "mit {} gesendet"),
    *("holen sie sich outlook für {}", "outlook für {} beziehen", "outlook für {} herunterladen"),
    # French
    *("envoyé de mon {}", "envoyé depuis mon {}", "envoyé depuis {}", "envoyé à partir de {}"),
    *("téléchargez {} pour android", "télécharger {} pour android", "obtenez {} pour android"),
    *("envoyé avec {}", "obtenir outlook pour {}", "télécharger outlook pour {}"),
    *("provenance : {}", "outlook pour {}"),
    # Spanish, Catalan, Portuguese
    *("enviado desde mi {}", "enviado desde {}", "enviado con {}", "obtener outlook para {}"),
    *("enviat des del meu {}", "enviado do meu {}", "enviado a partir do meu {}", "enviado do {}"),
    *("enviado de meu {}", "obtenha o outlook para {}", "obter o outlook para {}"),
    # Italian, Romanian
    *("inviato da {}", "inviato dal mio {}", "scarica outlook per {}", "ottieni outlook per {}"),
    *("trimis de pe {}", "obțineți outlook pentru {}"),
    # Dutch, Swedish, Danish, Norwegian, Finnish
    *(
        "verstuurd vanaf mijn {}",
        "verzonden vanaf mijn {}",
        "verzonden met {}",
        "verstuurd vanaf {}",
    ),
    *("outlook voor {} downloaden", "download outlook voor {}", "skickat från min {}"),
    *("skickat från {}", "hämta outlook för {}", "sendt fra min {}", "sendt fra {}"),
    *("hent outlook til {}", "få outlook for {}", "lähetetty {}", "hanki outlook for {}"),
    # Polish, Czech, Slovak, Hungarian, Croatian
    *("wysłane z {}", "wysłano z {}", "pobierz aplikację outlook dla {}", "odesláno z {}"),
    *("získat outlook pro {}", "odoslané z {}", "elküldve az {}", "küldve: {}", "poslano s {}"),
    # Russian, Ukrainian, Greek, Turkish
    *("отправлено с {}", "отправлено из {}", "скачать outlook для {}", "надіслано з {}"),
    *("στάλθηκε από το {}", "{} gönderildi", "ios için outlook'u edinin"),
    # Vietnamese, Indonesian, Thai
    *("đã gửi từ {}", "gửi từ {}", "được gửi từ {}", "tải outlook cho {}", "tải {} cho android"),
    *("dikirim dari {}", "ส่งจาก {}"),
    # Chinese, Japanese, Korean, Hebrew, Arabic
    *(
        "发自我的{}",
        "從我的{}傳送",
        "从我的{}发送",
        "获取适用于{}的 outlook",
        "{}から送信",
        "{}から送信されました",
    ),
    *(
        "나의 {}에서 보냄",
        "{}에서 보냄",
        "내 {}에서 보냄",
        "נשלח מה-{}",
        "نُشر من {}",
        "أُرسلت من {}",
    ),
    *("android 版の outlook を入手", "outlook for ios を入手"),
    # What checks for viruses, tells the sender of readers, or advertises itself
    *("virus-free", "no virus found in this message", "do you yahoo!?"),
    *("this email has been checked for viruses by {}", "checked by avg", "checked by avg - {}"),
    *("diese e-mail wurde von {} auf viren geprüft", "scanned by {}"),
    *("l'absence de virus dans ce courrier électronique a été vérifiée par {}",),
    *("el software de antivirus {} ha analizado este correo electrónico en busca de virus",),
    *("sender notified by mailtrack", "sender notified by mailtrack {}"),
    *("please consider the environment before printing {}",),
    *("p please consider the environment before printing {}",),
    *("pensez à l'environnement avant d'imprimer {}", "merci de n'imprimer {}"),
    *("bitte denken sie an die umwelt, bevor sie {}",),
)
"""Whole lines that phones and programs write below a mail."""

DEVICES = (
    *("iphone", "ipad", "ipod", "ios", "mac", "macbook", "apple", "watch", "android", "samsung"),
    *("galaxy", "note", "huawei", "honor", "xiaomi", "redmi", "poco", "oneplus", "oppo", "vivo"),
    *("pixel", "nexus", "motorola", "moto", "nokia", "lumia", "htc", "lg", "sony", "xperia"),
    *("fairphone", "windows", "blackberry", "blackberry®", "linux", "phone", "smartphone", "handy"),
    *("mobile", "mobil", "mobiltelefon", "cell", "telefon", "téléphone", "teléfono", "telefoon"),
    *("telefono", "telefone", "móvil", "cellulare", "puhelimesta", "telefonu", "device", "gerät"),
    *("mobilgerät", "appareil", "dispositivo", "tablet", "tablette", "tableta", "kindle"),
    *("outlook", "hotmail", "gmail", "yahoo", "aol", "gmx", "web.de", "icloud", "proton"),
    *("protonmail", "tuta", "tutanota", "fastmail", "mail", "e-mail", "email", "webmail", "app"),
    *("thunderbird", "k-9", "k9", "fairemail", "bluemail", "mailbird", "spark", "airmail"),
    *("newton", "edison", "superhuman", "zoho", "yandex", "mail.ru", "telekom", "orange"),
    *("avast", "avg", "mailscanner", "mailtrack", "handset", "iphonu", "ipadu", "iphonem"),
    *("айфона", "телефона", "смартфона", "手机", "手機", "電話", "휴대폰", "スマートフォン"),
)
"""Words for devices and programs: a line that names one of these is theirs for certain."""

QUOTING_CLASSES = (
    *("yahoo_quoted", "protonmail_quote", "zmail_extra", "tutanota_quote", "moz-forward-container"),
    *("qmbox_quoted", "mail-quote-collapse"),
)
"""Classes and ids of HTML elements that hold an older message."""

SIGNATURE_CLASSES = (
    *("gmail_signature", "moz-signature", "protonmail_signature_block", "ymail_signature"),
    *("x_gmail_signature", "ms-outlook-mobile-signature"),
)
"""Classes and ids of HTML elements that hold a signature."""

QUOTING_FROM_HERE = ("appendonsend", "divrplyfwdmsg", "olk_src_body_section", "stopspelling")
"""Classes and ids of HTML elements after which nothing is the sender's own."""


_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
_WORDS = "|".join(map(re.escape, sorted(REPLY_PREFIXES, key=len, reverse=True)))
_TAGS = "|".join(map(re.escape, SPAM_TAGS))
_NONE = frozenset(NO_SUBJECTS)
_PREFIX = re.compile(
    r"\s*(?:"
    rf"(?:{_WORDS})\s*(?:\[\d+\]|\*\d+|\(\d+\)|\^\d+|\d+)?\s*:"
    r"|\[[^\]]{1,40}\]"
    rf"|\*{{2,5}}\s?(?:{_TAGS})\s?\*{{2,5}}:?"
    rf"|[{{(](?:{_TAGS})[}})]:?"
    r")\s*",
    re.IGNORECASE,
)


def without_prefixes(subject: str) -> str:
    """Return a Subject without reply prefixes, list tags and spam tags in front.

    It is empty where a mail program says that there is none.
    First, letters that merely look different are made plain, and invisible marks are dropped.
    """
    if not subject.isascii():
        subject = _INVISIBLE.sub("", normal_form("NFKC", subject))
    start = 0
    while match := _PREFIX.match(subject, start):
        start = match.end()
    rest = subject[start:].strip()
    bare = rest.strip("()<>[]\uff08\uff09 .").replace("\u2019", "'").lower()
    return "" if bare in _NONE else rest


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
    begin = 0
    while begin < min(_MOST_LINES, len(lines)) and not lines[begin].strip(_AROUND):
        begin += 1
    if not (begin < _MOST_LINES and lines[begin:] and _WARNS.match(lines[begin].strip(_AROUND))):
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
