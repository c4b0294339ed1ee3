"""The page about the protocol: its table is fresh, and its examples run."""

import doctest
import re

from ottla.protocol.api_keys import ApiKey
from ottla.protocol.codec.notation import family
from ottla.protocol.schema import FAMILIES
from tools.generate.api_table import BEGIN, END, PAGE, generated, table

EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_table_of_apis_is_fresh() -> None:
    """What is generated from the API keys and the schema texts is what the page says: `make docs` writes it anew."""
    assert generated() == {PAGE: PAGE.read_text()}, "docs/protocol.md is stale: run `make docs`"


def test_the_table_has_a_row_for_every_api() -> None:
    """Each API stands in the table once, by key, between the markers."""
    page = PAGE.read_text()
    rows = re.findall(r"^\| (\d+) \| (\w+) \|", page[page.index(BEGIN) : page.index(END)], re.MULTILINE)
    assert rows == [(str(int(api)), api.message) for api in ApiKey]
    assert len(table().splitlines()) == len(rows) + 2


def test_every_message_says_what_it_is_for() -> None:
    """Above every message the schema text says in a sentence what it is for."""
    for name in FAMILIES:
        for message in family(name).values():
            assert re.match(r"[A-Z].*[.:]", message.doc), message.name


def test_the_examples_on_the_page_run() -> None:
    """The Python examples, read from top to bottom as one session, give what the page says that they give."""
    blocks = EXAMPLE.findall(PAGE.read_text())
    assert len(blocks) == PAGE.read_text().count("```python")
    assert all(block.startswith(">>> ") for block in blocks)
    session = doctest.DocTestParser().get_doctest("".join(blocks), {}, PAGE.name, str(PAGE), 0)
    told: list[str] = []
    results = doctest.DocTestRunner().run(session, out=told.append)
    assert results.attempted == len(session.examples) > 30
    assert results.failed == 0, "".join(told)
