"""The page about the simulator: its examples run."""

import doctest
import re
from pathlib import Path

PAGE = Path(__file__).parents[4] / "docs" / "simulator.md"
EXAMPLE = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_examples_on_the_page_run() -> None:
    """The Python examples, read from top to bottom as one session, give what the page says that they give."""
    text = PAGE.read_text()
    blocks = EXAMPLE.findall(text)
    assert len(blocks) == text.count("```python")
    session = doctest.DocTestParser().get_doctest("".join(blocks), {}, PAGE.name, str(PAGE), 0)
    told: list[str] = []
    results = doctest.DocTestRunner().run(session, out=told.append)
    assert results.attempted == len(session.examples) > 15
    assert results.failed == 0, "".join(told)
