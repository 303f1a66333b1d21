"""jupyterquiz's own scripts show and mark what we write for it, in Chromium."""

from __future__ import annotations

import importlib.metadata
import json
import os
import re
import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from grader.quiz.export.formats import FORMATS
from grader.quiz.export.plan import Losses
from tests.quiz.platforms import jupyter
from tests.quiz.platforms.tries import whole

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
ENTRIES = json.loads(FORMATS["jupyterquiz"].write(whole(1), Losses()))

ANSWER = """([place, kind, answers]) => {
  const quiz = document.querySelectorAll(".Quiz")[place], said = quiz.querySelector(".Feedback"), seen = [];
  for (const answer of answers) {
    if (kind === "choice") {
      quiz.querySelectorAll("label")[answer].click();
    } else {
      const field = quiz.querySelector("input");
      field.value = answer;
      field.onkeypress(new KeyboardEvent("keypress", { key: "Enter", keyCode: 13, charCode: 13 }));
    }
    seen.push([said.classList.contains("correct"), said.classList.contains("incorrect"), said.innerHTML]);
  }
  return seen;
}"""


@pytest.fixture(scope="module")
def page() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no Chromium here (Debian: apt-get install chromium)")
    files = importlib.metadata.files("jupyterquiz") or []
    scripts = [
        file
        for file in sorted(files, key=lambda file: file.name)
        if re.fullmatch(r".*/js/\w+\.js", str(file))
    ]
    assert len(scripts) >= 5
    with playwright.sync_playwright() as driver:
        # Chromium's own sandbox needs another user than root; this is our own page.
        browser = driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"] if os.geteuid() == 0 else []
        )
        tab = browser.new_page()
        mistakes: list[str] = []
        tab.on("pageerror", lambda error: mistakes.append(str(error)))
        tab.set_content(
            '<div id="quiz" data-shufflequestions="False" data-shuffleanswers="False" data-maxwidth="600"></div>'
        )
        tab.add_script_tag(content="\n".join(file.read_text(encoding="utf-8") for file in scripts))
        tab.evaluate("questions => show_questions(questions, 'quiz')", ENTRIES)
        yield tab
        assert mistakes == []
        browser.close()


def test_every_question_is_shown_with_its_options(page: Any) -> None:
    assert page.locator(".Quiz").count() == len(ENTRIES) > 100
    for place, entry in enumerate(ENTRIES):
        options = len(entry["answers"]) if entry["type"] in ("multiple_choice", "many_choice") else 0
        assert page.locator(".Quiz").nth(place).locator("label.MCButton").count() == options


def test_no_markup_of_a_text_is_obeyed_and_no_link_is_made(page: Any) -> None:
    assert page.locator("#quiz script, #quiz img, #quiz iframe").count() == 0
    assert page.locator("#quiz a.JQLink").count() == 0
    shown = page.locator("#quiz").inner_text()
    assert r"\(d_k\)" in shown  # which MathJax shows, where there is one
    assert "$" not in shown


def test_its_own_marking_agrees_with_how_we_read_it(page: Any) -> None:
    kinds: dict[str, int] = {}
    for place, entry in enumerate(ENTRIES):
        kind = entry["type"]
        kinds[kind] = kinds.get(kind, 0) + 1
        if kind in ("multiple_choice", "many_choice"):
            seen = page.evaluate(ANSWER, [place, "choice", list(range(len(entry["answers"])))])
            for option, (answer, (right, wrong, said)) in enumerate(zip(entry["answers"], seen, strict=True)):
                assert (right, wrong) == (answer["correct"], not answer["correct"]), (
                    entry["question"],
                    option,
                )
                assert words(answer["feedback"]) <= words(said)
            continue
        read = jupyter.number if kind == "numeric" else jupyter.string
        typed = texts(entry)
        for text, (right, wrong, said) in zip(
            typed, page.evaluate(ANSWER, [place, "text", typed]), strict=True
        ):
            expected, feedback = read(entry, text)
            assert (right, wrong) == (expected, not expected), (entry["question"], text)
            assert words(feedback) <= words(said)
    assert set(kinds) == {"multiple_choice", "many_choice", "numeric", "string"}


def texts(entry: dict[str, Any]) -> list[str]:
    """All that it foresees, the ends of ranges, and something else."""
    found = []
    for answer in entry["answers"]:
        found += [str(answer[name]) for name in ("value", "answer") if name in answer]
        found += [str(bound) for bound in answer.get("range", ())]
    return [*found[:8], *found[-3:], "7919.5"]


def words(markup: str) -> set[str]:
    return set(re.findall(r"[A-Za-z]{4,}", re.sub(r"<[^>]*>|&\w+;", " ", markup)))
