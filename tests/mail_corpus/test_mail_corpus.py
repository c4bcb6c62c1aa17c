import pytest

from tests.mail_corpus.corpus import FOLDER, names, reading


@pytest.mark.parametrize("name", names())
def test_what_is_read_of_a_mail_is_what_stands_beside_it(name: str) -> None:
    expected = (FOLDER / f"{name}.expected").read_text()
    assert reading((FOLDER / f"{name}.eml").read_bytes()) == expected


def test_each_expectation_has_its_mail() -> None:
    assert names() == sorted(path.stem for path in FOLDER.glob("*.expected"))
