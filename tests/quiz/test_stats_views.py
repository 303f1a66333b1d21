"""The statistics as a page, in a terminal, and as the command that makes them."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from grader.core.errors import InputError
from grader.quiz.commands.stats import stats
from grader.quiz.stats.page import render_page
from grader.quiz.stats.pictures import choice_rows, histogram, map_of
from grader.quiz.stats.report import OptionFigures, QuestionFigures, StatsReport, TestFigures, WrittenAnswer
from grader.quiz.stats.terminal import render
from grader.quiz.stats.words import decimal, per_cent, reliability, time

ROOT = Path(__file__).resolve().parents[2]
NASTY = '</style><script>alert("1")</script>'


def question(name: str, share: float, r: float | None, *flags: str, **fields: object) -> QuestionFigures:
    values = {
        "id": name, "max_points": 1, "sheets": 30, "answered": 28, "waiting": 0, "difficulty": share,
        "discrimination": r, "discrimination_interval": None if r is None else (r - 0.2, r + 0.2), "seconds": None,
        "flags": flags, **fields,
    }  # fmt: skip
    return QuestionFigures.model_validate(values)


OPTIONS = (
    OptionFigures(
        letter="a", text="$d_k$ of *one* head", key=True, chosen=20, upper=9, lower=5, strong_in_error=0
    ),
    OptionFigures(letter="b", text=NASTY, key=False, chosen=7, upper=1, lower=4, strong_in_error=1),
)
QUESTIONS = (
    question(
        "first", 0.7, 0.4, "nobody chose c", kind="multiple_choice", prompt="How wide is $d_k$?", options=OPTIONS,
        choices=28, upper=10, lower=10, strong=15, no_option=1, seconds=64.2,
    ),
    question(NASTY, 0.5, -0.3, "the better learners do worse here: read it again", waiting=2),
    question(
        "third", 1.0, None, written=(WrittenAnswer(text=NASTY, count=3),), prompt="$\\nonsense{$ <i>",
        parametrised=True,
    ),
)  # fmt: skip
REPORT = StatsReport(
    quiz="tiny",
    title="Tiny & small",
    sheets=30,
    test=TestFigures(
        mean=0.7, sd=0.2, alpha=0.61, alpha_questions=3, alpha_interval=(0.4, 0.75), standard_error=0.12,
        histogram=(0, 0, 1, 2, 5, 8, 7, 4, 2, 1), flags=("reliable enough for practice, not for a grade that counts",),
    ),
    questions=QUESTIONS,
)  # fmt: skip


class Page(HTMLParser):
    """Tags with their attributes, and the text outside the style."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.words = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.words += data


@pytest.fixture(scope="module")
def html() -> str:
    return render_page(REPORT)


def test_the_page_loads_nothing_and_runs_nothing(html: str) -> None:
    page = Page(html)
    names = {tag for tag, _ in page.tags}
    assert names.isdisjoint({"script", "link", "img", "iframe", "object", "embed", "form", "base", "i"})
    attributes = [(name, value or "") for _, attrs in page.tags for name, value in attrs.items()]
    assert not [name for name, _ in attributes if name.startswith("on") or name in ("style", "src")]
    assert {value[0] for name, value in attributes if name == "href"} == {"#"}
    style = re.search(r"<style>(.*?)</style>", html, re.DOTALL)
    assert style is not None
    assert "url(" not in style[1]
    assert "@import" not in style[1]
    digest = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    (policy,) = [
        attrs["content"] for _, attrs in page.tags if attrs.get("http-equiv") == "Content-Security-Policy"
    ]
    assert policy == f"default-src 'none'; style-src 'sha256-{digest}'; base-uri 'none'; form-action 'none'"


def test_what_learners_and_banks_write_stays_text(html: str) -> None:
    assert NASTY not in html
    assert Page(html).words.count(NASTY) >= 4  # id (several times), option, answer
    assert "$\\nonsense{$ <i>" in Page(html).words  # maths not understood: as it was written
    assert "Tiny &amp; small" in html


def test_every_picture_is_also_words(html: str) -> None:
    page = Page(html)
    pictures = [attrs for tag, attrs in page.tags if tag == "svg"]
    named = [attrs["aria-labelledby"] for attrs in pictures if attrs.get("role") == "img"]
    assert len(named) == 2
    assert all(attrs.get("role") == "img" or attrs.get("aria-hidden") == "true" for attrs in pictures)
    ids = [attrs["id"] for _, attrs in page.tags if "id" in attrs]
    assert len(ids) == len(set(ids))
    assert set(named) <= set(ids)
    targets = {(attrs.get("href") or "")[1:] for tag, attrs in page.tags if tag == "a"}
    assert targets == {"question-1", "question-2", "question-3"}
    assert targets <= set(ids)
    assert "8 learners from 50 to 60 %" in histogram(REPORT).alt
    assert "first: 70 % right, discrimination 0.40" in map_of(REPORT).alt
    assert "<math" in html


def test_marks_stand_where_the_figures_say() -> None:
    drawn = map_of(REPORT)
    assert [point.name for point in drawn.points] == [
        "first",
        NASTY,
    ]  # those with remarks first; no figure, no point
    first, second = drawn.points
    assert first.x - second.x == pytest.approx(0.2 * (drawn.right - drawn.left), abs=0.2)
    assert second.y > first.y
    (zero,) = [y for y, label in drawn.up if label == "0.0"]
    assert first.y < zero < second.y <= drawn.bottom
    tallest = max(histogram(REPORT).bars, key=lambda bar: bar.height)
    assert (tallest.label, tallest.value) == ("50", "8")
    rows = choice_rows(QUESTIONS[0])
    assert [[(part.count, part.size, part.length) for part in parts] for _, parts in rows] == [
        [(20, 28, 71.4), (9, 10, 90.0), (5, 10, 50.0)],
        [(7, 28, 25.0), (1, 10, 10.0), (4, 10, 40.0)],
    ]


def test_names_on_the_map_do_not_cover_each_other() -> None:
    many = tuple(question(f"question-{n}", 0.5 + n / 400, 0.3 + n % 3 / 100) for n in range(40))
    drawn = map_of(REPORT.model_copy(update={"questions": many}))
    boxes = []
    for point in drawn.points:
        if point.name:
            start = point.text_x - 7 * len(point.name) if point.end else point.text_x
            boxes.append((start, start + 7 * len(point.name), point.text_y))
    assert 2 <= len(boxes) < 40
    for place, (start, end, y) in enumerate(boxes):
        for other_start, other_end, other_y in boxes[:place]:
            assert end <= other_start or other_end <= start or abs(y - other_y) >= 11.9


@pytest.mark.parametrize(("width", "unicode"), [(80, True), (80, False), (20, True), (100, True)])
def test_the_terminal_keeps_to_its_width(width: int, unicode: bool) -> None:
    text = render(REPORT, width=width, colour=False, unicode=unicode)
    assert max(map(len, text.splitlines())) <= width
    assert "\x1b" not in text
    assert unicode or text.isascii()


def test_the_terminal_says_what_matters_first() -> None:
    text = render(REPORT, width=80, colour=False)
    lines = text.splitlines()
    assert lines[:3] == [
        "Tiny & small: 30 sheets, 3 questions",
        "mean 70 %, sd 20 %, standard error 12 %",
        "reliability (Cronbach's alpha) 0.61 (95 % interval 0.40 to 0.75)",
    ]
    (first,) = [line for line in lines if line.startswith("first  ") and "70 %" in line]
    assert first.split() == ["first", "30", "2", "0", "70", "%", "0.40", "64", "s", "!"]
    assert "  first nobody chose c" in lines
    (key,) = [line for line in lines if line.endswith("d_k of one head")]
    assert key.split()[:5] == ["a", "20", "9", "5", "key"]
    assert "\x1b[" in render(REPORT, width=80, colour=True)


def test_figures_as_words() -> None:
    assert [decimal(value) for value in (None, -0.001, -0.126, 1.0)] == ["–", "0.00", "−0.13", "1.00"]
    assert [per_cent(value) for value in (None, 0.0, 0.666)] == ["–", "0 %", "67 %"]
    assert [time(value) for value in (None, 42.4, 99.6, 150.0)] == ["–", "42 s", "1:40 min", "2:30 min"]
    assert reliability(REPORT.test.model_copy(update={"alpha_interval": None})) == "0.61"
    assert reliability(REPORT.test.model_copy(update={"alpha": None})) == "–"


# --- the command ---------------------------------------------------------------------------------

BANK = """
version: 1
quiz: tiny
title: A tiny quiz
lesson: tiny
check: [q1, q2]
questions:
  - {id: q1, kind: multiple_choice, objective: o, difficulty: easy, prompt: Which?, explanation: e,
     options: [{text: "four", correct: true}, {text: "five"}, {text: "six"}]}
  - {id: q2, kind: true_false, objective: o, difficulty: easy, prompt: Is it?, explanation: e, answer: false}
"""


def run(*words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
    line = [sys.executable, "-m", "grader", "quiz", *map(str, words)]
    return subprocess.run(
        line,
        cwd=ROOT,
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        env={**os.environ, **environment},
    )


@pytest.fixture(scope="module")
def marked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a bank, twelve sheets and their records."""
    folder = tmp_path_factory.mktemp("class")
    (folder / "tiny.yaml").write_text(BANK)
    (folder / "sheets").mkdir()
    for number in range(12):
        answers = f"{{q1: {'a' if number % 3 else 'b'}, q2: {'no' if number % 2 else 'yes'}}}"
        (folder / "sheets" / f"{number:02}.yaml").write_text(f"learner: L{number}\nanswers: {answers}\n")
    sheets = sorted((folder / "sheets").iterdir())
    done = run("mark", *sheets, "--bank", folder / "tiny.yaml", "--json", folder / "marked.jsonl")
    assert done.returncode == 0, done.stderr
    return folder


def test_the_command_from_sheets_to_all_three_outputs(marked: Path) -> None:
    done = run(
        "stats", marked / "marked.jsonl", "--sheets", marked / "sheets", "--bank", marked / "tiny.yaml",
        "--json", marked / "stats.json", "--html", marked / "stats.html",
    )  # fmt: skip
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("A tiny quiz: 12 sheets, 2 questions\n")
    found = json.loads((marked / "stats.json").read_text("utf-8"))
    assert (found["version"], found["quiz"], found["sheets"]) == (1, "tiny", 12)
    first = found["questions"][0]
    assert first["difficulty"] == pytest.approx(8 / 12, abs=1e-4)
    assert [(item["letter"], item["chosen"], item["key"]) for item in first["options"]] == [
        ("a", 8, True), ("b", 4, False), ("c", 0, False),
    ]  # fmt: skip
    assert "nobody chose c" in first["flags"]
    page = (marked / "stats.html").read_text("utf-8")
    assert "A tiny quiz" in page
    assert not re.search(r"\bL\d+\b", page + done.stdout + json.dumps(found))  # no learner is named


def test_the_command_without_sheets_or_bank(marked: Path) -> None:
    done = run("stats", marked / "marked.jsonl", "--json", "-", PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert json.loads(done.stdout)["questions"][1]["options"] == []
    done = run("stats", marked / "marked.jsonl", PYTHONIOENCODING="ascii")
    assert done.returncode == 0
    assert done.stdout.isascii()


def test_what_cannot_be_used_is_one_line_and_exit_2(marked: Path) -> None:
    done = run("stats", marked / "sheets" / "00.yaml")
    assert (done.returncode, done.stdout) == (2, "")
    assert "not valid JSON" in done.stderr
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"sheets": ["tiny.yaml"], "bank": "tiny.yaml"}, "`answers`"),
        ({"sheets": ["missing"], "bank": "tiny.yaml"}, "cannot be read"),
        ({"sheets": ["sheets"]}, "the bank is"),
        ({"bank": "nothing.yaml"}, "nothing.yaml"),
        ({"html": ""}, "it is a folder"),
        ({"html": "out", "json": "out"}, "two outputs"),
    ],
)
def test_options_that_contradict_end_before_anything_is_written(
    marked: Path, options: dict[str, Any], said: str
) -> None:
    given = {
        name: [marked / item for item in value] if isinstance(value, list) else marked / value
        for name, value in options.items()
    }
    if "json" in given:
        given["json"] = str(given["json"])
    with pytest.raises(InputError, match=said):
        stats([marked / "marked.jsonl"], **given)
    assert not (marked / "out").exists()


@pytest.mark.skipif(shutil.which("chromium") is None, reason="no Chromium here")
def test_the_page_in_a_browser_without_scripts(html: str, tmp_path: Path) -> None:
    playwright = pytest.importorskip("playwright.sync_api")
    (tmp_path / "stats.html").write_text(html, "utf-8")
    with playwright.sync_playwright() as started:
        browser = started.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for scheme, width, paper in (("light", 1000, "rgb(255, 255, 255)"), ("dark", 375, "rgb(21, 24, 28)")):
            page = browser.new_page(color_scheme=scheme, viewport={"width": width, "height": 800})
            said: list[str] = []
            page.on("console", lambda message, said=said: said.append(message.text))
            page.goto((tmp_path / "stats.html").as_uri())
            assert said == []  # nothing that the policy forbids
            assert page.evaluate("getComputedStyle(document.body).backgroundColor") == paper
            assert page.evaluate("document.documentElement.scrollWidth") <= width
            bars = page.locator("svg.picture .bar")
            assert bars.count() == 10
            assert bars.nth(5).bounding_box()["height"] > 2 * bars.nth(3).bounding_box()["height"]
            assert bars.nth(5).evaluate("bar => getComputedStyle(bar).fill") != "rgb(0, 0, 0)"
        browser.close()
