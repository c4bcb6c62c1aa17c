"""The list of the commands by mail, from the table that reads them and from their help."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain, zip_longest
from textwrap import dedent

from babel import Locale

from pbm_oust.grammar.notation import Heading
from pbm_oust.languages import ENGLISH, LANGUAGES, Language, WordList
from pbm_oust.letters.help import brief_usages, first_sentence
from pbm_oust.letters.words import Words
from pbm_oust.service.table import FORMS, FORMS_UNDER, AnyForm
from scripts.documents.parts import code, escaped, table

HEADINGS = {
    Heading.STARTING: "Starting a board",
    Heading.PLAYING: "Playing",
    Heading.LOOKING: "Looking",
    Heading.TALKING: "Writing",
    Heading.TOURNAMENTS: "Tournaments",
    Heading.ACCOUNT: "Your account",
    Heading.SETTINGS: "Settings and absence",
    Heading.GENERAL: "Besides",
}
ADDRESS = "pbmserv@games.example.org"
CHALLENGE, SEEK = "challenge", "seek"
MOST_PARAGRAPHS = 3
"""How much of the help about a command has room in a line of a table."""
BESIDE = 4
"""How many pairs of words stand in a row."""


def commands_part() -> str:
    """Return all commands by what they are about, and the words for them in other languages."""
    words = Words(ADDRESS)
    topics = {
        heading: list(dict.fromkeys(form.topic for form in forms))
        for heading, forms in FORMS_UNDER.items()
    }
    parts = []
    for heading, found in topics.items():
        pages = {topic: _page(words, topic) for topic in found}
        rows = [_row(topic, page) for topic, page in pages.items()]
        parts += [f"## {HEADINGS[heading]}", table(_HEADS, rows)]
        parts += [_section(words, topic, page) for topic, page in pages.items() if _is_long(page)]
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


_HEADS = ("write", "or answer a board mail", "what it does")


def _row(topic: str, page: str) -> tuple[str, str, str]:
    """Return how a command is written, from anywhere and as an answer, and what it does."""
    forms = _forms(topic)
    usages = "<br>".join(code(usage) for form in forms for usage in brief_usages(form))
    answers = dict.fromkeys(code(each) for form in forms for each in _answers(form) if each)
    text = " ".join(_paragraphs(page).split("\n\n"))
    if _is_long(page):
        text = f"{escaped(first_sentence(page))} [More](#{topic})"
    return usages, "<br>".join(answers), text


def _is_long(page: str) -> bool:
    """Return whether a page of the help has a section of its own, in place of a line in a table."""
    paragraphs = re.split(r"\n\n+", page.strip("\n"))
    return len(paragraphs) > MOST_PARAGRAPHS or any(each.startswith(" ") for each in paragraphs)


def _section(words: Words, topic: str, page: str) -> str:
    """Return what the help says about a command."""
    if topic == SEEK:
        page = _without_options(page, _page(words, CHALLENGE))
        page += f"\n\nAll options of {CHALLENGE} may be given, too."
    return "\n\n".join([f"### {topic}", _paragraphs(page)])


def _without_options(page: str, other: str) -> str:
    """Return a page of the help without the options that another one explains."""
    options = re.findall(r"^  +\[-.*\n(?:    +[^\[\s].*\n?)*", other, re.MULTILINE)
    for option in options:
        page = page.replace(option, "")
    return page


def _answers(form: AnyForm) -> list[str]:
    """Return how an answer to a board mail gives a command; nothing where it cannot."""
    if not (form.is_about_board or form.by_letter):
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
    """Return the words of a language that stand for words of commands, by what they are."""
    name = Locale.parse(language.code).get_display_name("en") or language.code
    parts = [f"## In {name}", "Accents may be written or left out, and both languages mixed."]
    for head, word_lists in (
        ("Words of commands", (WordList.COMMANDS,)),
        ("Options and settings", (WordList.OPTIONS, WordList.SETTINGS)),
        ("Other words", (WordList.WORDS,)),
    ):
        words = {
            word: english for each in word_lists for word, english in language.words[each].items()
        }
        pairs = [
            (code(english), _spelled(words, english)) for english in sorted(set(words.values()))
        ]
        parts += [f"{head}:", _glossary(("English", name), pairs)]
    return "\n\n".join(parts)


def _glossary(heads: tuple[str, str], pairs: Sequence[tuple[str, str]]) -> str:
    """Return a table with a few pairs in a row, in the order of its columns."""
    height = -(-len(pairs) // BESIDE)
    columns = [pairs[nth * height : (nth + 1) * height] for nth in range(BESIDE)]
    rows = (chain.from_iterable(row) for row in zip_longest(*columns, fillvalue=("", "")))
    return table(heads * BESIDE, map(tuple, rows))


def _spelled(words: Mapping[str, str], english: str) -> str:
    return ", ".join(code(word) for word, meant in words.items() if meant == english)
