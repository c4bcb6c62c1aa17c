"""An entry of the log that says what became of something, as words `key=value`. Pure."""

from collections.abc import Callable


class LogEntry:
    """The words of an entry by their keys: its text shows those that are empty as `-`.

    No word holds a secret. Those in `as_is` may look like mail addresses, and are none.
    """

    as_is = frozenset({"message_id"})

    def __init__(self, **words: str | int) -> None:
        self.words = words

    def __str__(self) -> str:
        said = [(key, str(word)) for key, word in self.words.items()]
        return " ".join(
            [f"{key}={word if word.isalnum() else _quoted(word)}" for key, word in said]
        )

    def mapped(self, change: Callable[[str], str]) -> "LogEntry":
        """Return the entry with its words changed, but for numbers and those that stay as is."""
        return LogEntry(
            **{
                key: word if isinstance(word, int) or key in self.as_is else change(word)
                for key, word in self.words.items()
            }
        )


def _quoted(word: str) -> str:
    """Return a word as one without spaces, or in quotes; `-` for an empty one."""
    word = word.replace('"', "'")
    return f'"{word}"' if " " in word else word or "-"
