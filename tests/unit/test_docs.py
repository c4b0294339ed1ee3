"""The pages: what they link to exists, what they promise is there, and what must be listed is listed."""

import re
import subprocess
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "tests").rglob("*.md")])
MAKEFILE = (ROOT / "Makefile").read_text()
DECISIONS = ROOT / "docs" / "decisions"

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
HEADING = re.compile(r"^#{1,6} +(.+?) *$", re.MULTILINE)
VERB = re.compile(r"^([a-z]+):[^#\n]*## (.+)$", re.MULTILINE)
MAX_VERBS = 10


def name(path: Path) -> str:
    """A page as tests are called by it."""
    return path.relative_to(ROOT).as_posix()


def links(page: Path) -> Iterator[str]:
    """What a page links to, code left out."""
    text = re.sub(r"`[^`\n]*`", "", FENCE.sub("", page.read_text()))
    yield from LINK.findall(text)


def anchors(page: Path) -> set[str]:
    """The anchors that the headings of a page make, as forges derive them."""
    headings = HEADING.findall(FENCE.sub("", page.read_text()))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def dead_links(page: Path) -> list[str]:
    """The links of a page that lead nowhere; what is on other hosts is not looked at."""
    dead = []
    for link in links(page):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            dead.append(link)
    return dead


def verbs() -> dict[str, str]:
    """The Makefile's verbs with their help."""
    return dict(VERB.findall(MAKEFILE))


def required() -> set[str]:
    """Every package that the project asks for: to run, to build, to develop."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    asked = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    for extra in project["project"].get("optional-dependencies", {}).values():
        asked += extra
    asked += (ROOT / "requirements" / "dev.in").read_text().splitlines()
    return {match[0].lower() for line in asked if (match := re.match(r"[\w.-]+", line))}


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_links_lead_somewhere(page: Path) -> None:
    """Every relative link leads to a file that exists, and to a heading that the file has."""
    assert dead_links(page) == []


def test_a_dead_link_is_seen(tmp_path: Path) -> None:
    """A link to a file or a heading that does not exist is found; links in code and to other hosts are let be."""
    (tmp_path / "other.md").write_text("# A `code` heading, twice\n")
    page = tmp_path / "page.md"
    page.write_text(
        "# Page\n[a](other.md) [b](other.md#a-code-heading-twice) [c](gone.md) [d](other.md#gone) [e](#page) [f](#no)\n"
        "[g](https://example.org/gone) `[h](gone.md)`\n```\n[i](gone.md)\n```\n"
    )
    assert dead_links(page) == ["gone.md", "other.md#gone", "#no"]


@pytest.mark.parametrize("page", PAGES, ids=name)
def test_no_page_is_empty(page: Path) -> None:
    """A page opens with one title and says something below every heading."""
    text = FENCE.sub("code", page.read_text())
    assert text.startswith("# ")
    assert len(text.split()) >= 30
    assert not re.search(r"^(#+) .+\n+(?=\1 |\Z)", text, re.MULTILINE), "a heading with nothing below it"


def test_readme_gives_commands_that_exist() -> None:
    """The README's commands are verbs of the Makefile, and there are two of them to begin with."""
    commands = re.findall(r"^    make (\w+)", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert commands[:2] == ["up", "test"]
    assert set(commands) <= set(verbs())


def test_pages_name_verbs_that_exist() -> None:
    """Wherever a page says `make something`, the Makefile knows how."""
    for page in PAGES:
        for words in re.findall(r"`make ([a-z ]+)`", page.read_text()):
            assert set(words.split()) <= set(verbs()), name(page)


def test_pages_name_files_that_exist() -> None:
    """Wherever a page names a file or folder, it is there, below the project or below the package."""
    for page in PAGES:
        for path in re.findall(r"`((?:[\w.-]+/)+[\w.-]*)`", page.read_text()):
            if path.split("/")[0] in ("src", "tests", "tools", "bench", "docs", "requirements", "protocol", "config"):
                assert (ROOT / path).exists() or (ROOT / "src" / "ottla" / path).exists(), f"{name(page)}: {path}"


def test_makefile_has_ten_verbs_with_help() -> None:
    """At most ten verbs, each declared phony, each with a line of help that plain `make` prints."""
    assert 0 < len(verbs()) <= MAX_VERBS
    phony = re.search(r"^\.PHONY: (.+)$", MAKEFILE, re.MULTILINE)
    assert phony is not None
    assert set(phony[1].split()) == {"help", *verbs()}
    output = subprocess.run(
        ["make", "--no-print-directory"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout
    for verb, text in verbs().items():
        assert re.search(rf"^ +{verb} +{re.escape(text)}$", output, re.MULTILINE), output


def test_ci_runs_the_projects_own_verbs() -> None:
    """CI calls `make test`, then `make integration`, and knows nothing that a contributor does not."""
    script = (ROOT / ".ci" / "run").read_text()
    commands = [line for line in script.splitlines() if line and not line.startswith(("#", "set ", "cd "))]
    assert commands == ["make test", "make integration"]


def test_pre_commit_runs_the_projects_own_verbs() -> None:
    """What runs before a commit or a push is the Makefile's, from this repository alone."""
    text = (ROOT / ".pre-commit-config.yaml").read_text()
    assert re.findall(r"repo: (.+)", text) == ["local"]
    assert re.findall(r"entry: (.+)", text) == ["make lint", "make type", "make test"]
    assert set(re.findall(r"language: (.+)", text)) == {"system"}


def test_every_dependency_has_a_reason() -> None:
    """What the project asks for to run, to build and to develop has a row in docs/dependencies.md, and nothing else."""
    page = (ROOT / "docs" / "dependencies.md").read_text().partition("\n## To judge a broker")[0]  # those are fetched
    assert {row.lower() for row in re.findall(r"^\| (\w[\w.-]*) \|", page, re.MULTILINE)} - {"package"} == required()


def test_every_dependency_is_pinned() -> None:
    """Everything that developing asks for is pinned to one version, so that a clone today is a clone tomorrow."""
    lines = (ROOT / "requirements" / "dev.txt").read_text().splitlines()
    pins = dict(line.split(";")[0].split("==") for line in lines if line and not line.startswith("#"))
    assert required() <= {package.lower().replace("_", "-") for package in pins}


def test_every_decision_is_listed() -> None:
    """The list of decisions is complete, in order, without gaps, and calls each by its title."""
    pages = sorted(path for path in DECISIONS.glob("*.md") if path.name != "README.md")
    assert [page.name[:3] for page in pages] == [f"{number:03}" for number in range(1, len(pages) + 1)]
    listed = re.findall(r"^\| \[(\d{3})\]\((.+?)\) \| (.+?) \|", (DECISIONS / "README.md").read_text(), re.MULTILINE)
    assert [(page.name[:3], page.name) for page in pages] == [(number, file) for number, file, _ in listed]
    for page, (number, _, title) in zip(pages, listed, strict=True):
        assert page.read_text().startswith(f"# {number}: {title}"), page.name


def test_every_decision_has_its_three_parts() -> None:
    """A decision says what it answers to, what was decided, and what that costs."""
    for page in DECISIONS.glob("[0-9]*.md"):
        headings = re.findall(r"^## (.+)$", page.read_text(), re.MULTILINE)
        assert headings == ["Context", "Decision", "Consequences"], page.name
