"""The list of the commands by mail, from the table that reads them and from their help."""

import re
from collections.abc import Iterator, Mapping
from textwrap import dedent

from babel import Locale

from pbm_oust.grammar.notation import Heading
from pbm_oust.languages import ENGLISH, LANGUAGES, Language, Section
from pbm_oust.letters.help import brief_usages, first_sentence
from pbm_oust.letters.words import Words
from pbm_oust.service.table import FORMS, AnyForm
from scripts.documents.parts import code, escaped, table

HEADINGS = {
    Heading.STARTING: "Starting a board",
    Heading.PLAYING: "Playing",
    Heading.LOOKING: "Looking",
    Heading.TALKING: "Writing",
    Heading.ACCOUNT: "Your account",
    Heading.SETTINGS: "Settings and absence",
    Heading.GENERAL: "Besides",
}
ADDRESS = "pbmserv@games.example.org"


def commands_part() -> str:
    """Return all commands by what they are about, and the words for them in other languages."""
    words = Words(ADDRESS)
    pages = {form.topic: _page(words, form.topic) for form in FORMS}
    parts = [_overview(pages)]
    for heading in Heading:
        topics = dict.fromkeys(form.topic for form in FORMS if form.heading is heading)
        parts += [f"## {HEADINGS[heading]}", *(_section(topic, pages[topic]) for topic in topics)]
    parts += ["## Time", _paragraphs(words.help_page("time") or "")]
    parts += [_in_other_words(each) for each in LANGUAGES.values() if each is not ENGLISH]
    return "\n\n".join(parts)


def usages() -> Iterator[str]:
    """Yield each way in which a command is written, once for all games."""
    for form in FORMS:
        yield from brief_usages(form)


def _forms(topic: str) -> list[AnyForm]:
    return [form for form in FORMS if form.topic == topic]


def _page(words: Words, topic: str) -> str:
    """Return what the help says about a command, below the lines that show it."""
    page = words.help_page(topic)
    assert page, topic
    return page.partition("\n\n")[2]


def _overview(pages: Mapping[str, str]) -> str:
    rows = []
    for topic in dict.fromkeys(form.topic for form in FORMS):
        names = " ".join(f"`{name}`" for name in dict.fromkeys(map(_name, _forms(topic))))
        rows.append((f"[{names}](#{topic})", escaped(first_sentence(pages[topic]))))
    return table(("command", "what it does"), rows)


def _name(form: AnyForm) -> str:
    return f"GAME {form.name}" if form.is_of_kind else form.name


def _section(topic: str, page: str) -> str:
    forms = _forms(topic)
    lines = [usage for form in forms for usage in brief_usages(form)]
    answers = list(filter(None, dict.fromkeys(each for form in forms for each in _answers(form))))
    parts = [f"### {topic}", "\n".join(["```", *lines, "```"])]
    if answers:
        parts.append(f"As an answer to a board mail: {', '.join(f'`{each}`' for each in answers)}.")
    return "\n\n".join([*parts, _paragraphs(page)])


def _answers(form: AnyForm) -> list[str]:
    """Return how an answer to a board mail gives a command; nothing where it cannot."""
    if not form.is_about_board:
        return []
    shown = form.rest.shown if form.rest else ("",)
    name = "" if form.is_usual else form.name
    return [f"{name} {each.replace('[#N]', '')}".strip() for each in shown]


def _paragraphs(page: str) -> str:
    """Return a page of the help as Markdown: prose in one line, what is indented as it is."""
    parts = []
    for paragraph in re.split(r"\n\n+", page.strip("\n")):
        if paragraph.startswith(" "):
            parts.append(f"```\n{dedent(paragraph)}\n```")
        else:
            parts.append(_prose(paragraph))
    return re.sub(r"\n```\n\n```\n", "\n\n", "\n\n".join(parts))


def _prose(paragraph: str) -> str:
    """Return a paragraph in one line; what the help sets off by two spaces is code."""
    plain, *others = re.split(r" ? {2,}", paragraph.replace("\n", " "))
    shown = [escaped(plain)]
    shown += [f"`{each}`" if nth % 2 == 0 else escaped(each) for nth, each in enumerate(others)]
    return " ".join(shown)


def _in_other_words(language: Language) -> str:
    """Return the words of a language that stand for words of commands."""
    name = Locale.parse(language.code).get_display_name("en")
    parts = [f"## In {name}", "Accents may be written or left out, and both languages mixed."]
    for head, words in (
        ("word of a command", language.words[Section.COMMANDS]),
        ("option", language.words[Section.OPTIONS]),
        ("setting", language.words[Section.SETTINGS]),
        ("another word", language.words[Section.WORDS]),
        ("place", language.placeholders),
    ):
        rows = [(code(english), _spelled(words, english)) for english in _english(words)]
        parts.append(table((head, f"in {name}"), rows))
    return "\n\n".join(parts)


def _english(words: Mapping[str, str]) -> list[str]:
    """Return the English words that have words of another language."""
    is_places = all(key.isupper() for key in words)
    return sorted(set(words) if is_places else set(words.values()))


def _spelled(words: Mapping[str, str], english: str) -> str:
    if english in words and english.isupper():
        return code(words[english])
    return ", ".join(code(word) for word, meant in words.items() if meant == english)
