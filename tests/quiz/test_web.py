from __future__ import annotations

import dataclasses
import json
import os
import re
import shutil
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import pytest
from markupsafe import Markup

import grader.quiz.web.web
from grader.core.errors import InputError
from grader.core.templates import render, template_folder
from grader.quiz.bank.bank import Bank, find_bank, read_bank
from grader.quiz.drawing.draw import draw
from grader.quiz.drawing.drawn import Drawn, DrawnPart
from grader.quiz.marking.mark import QuizRecord, SheetMarker, mark_sheet
from grader.quiz.marking.sheet import read_sheet
from grader.quiz.shown.prose import inline_html
from grader.quiz.taking.progress import Mode, Progress
from grader.quiz.taking.screen import Screen
from grader.quiz.taking.take import take
from grader.quiz.web.web import quiz_page
from tests.tools.lessons_here import SLUG
from tests.tools.quiz_answering import Answer, Script, other, right, typed

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)


@pytest.fixture(scope="module")
def bank() -> Bank:
    return read_bank(find_bank(lesson=SLUG))


def every(bank: Bank) -> list[str]:
    return [question.id for question in bank.questions]


def one_of_each(bank: Bank) -> list[str]:
    """The first question of every kind, and of every way to ask within a kind."""
    found: dict[tuple[object, ...], str] = {}
    for question in bank.questions:
        ways = [getattr(question, name, None) for name in ("ask", "select")]
        found.setdefault((question.kind, *ways), question.id)
    return list(found.values())


# --- the file, without a browser -------------------------------------------------------------------


def words_of(page: str) -> str:
    """The page without its style and its script, which hold no question."""
    bare = re.sub(r"<style>.*?</style>|<script>.*?</script>", "", page, flags=re.DOTALL)
    assert len(bare) < len(page)
    return bare


def turned(parts: tuple[DrawnPart, ...]) -> tuple[DrawnPart, ...]:
    """The same parts as they are shown, each in the next one's place."""
    others = (*parts[1:], parts[0])
    return tuple(
        dataclasses.replace(part, place=next_.place) for part, next_ in zip(parts, others, strict=True)
    )


def rekeyed(drawn: Drawn) -> Drawn:
    """The same question with another key, other feedback and another explanation."""
    changes: dict[str, Any] = {"explanation": "Elsewhere."}
    match drawn.kind:
        case "true_false":
            changes |= {"answer": not drawn.answer, "feedback": {}}
        case "multiple_choice" | "code_reading":
            options = (
                dataclasses.replace(item, correct=not item.correct, feedback=None, also=())
                for item in drawn.options
            )
            changes["options"] = tuple(options)
        case "short_answer":
            changes["model"] = "Something else."
        case "numeric":
            changes |= {"answer": drawn.answer + 12345, "absolute": 7.5, "traps": ()}
        case "fill":
            blank = {"accept": ("otherwise",), "feedback": None}
            changes["blanks"] = tuple(dataclasses.replace(item, **blank) for item in drawn.blanks)
        case "shape":
            changes |= {"answer": ("n",), "also": (), "traps": ()}
        case "ordering":
            changes["items"] = turned(drawn.items)
        case "matching":
            changes["rights"] = turned(drawn.rights)
    if drawn.kind == "code_reading":
        changes |= {"lines": (1,), "prints": ("otherwise",)}
    return dataclasses.replace(drawn, **changes)


def test_an_exam_page_does_not_depend_on_the_key(bank: Bank, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = {mode: quiz_page(bank, every(bank), seed=3, mode=mode) for mode in ("exam", "practice")}
    monkeypatch.setattr(grader.quiz.web.web, "draw", lambda *about: rekeyed(draw(*about)))
    assert quiz_page(bank, every(bank), seed=3, mode="exam") == pages["exam"]
    assert quiz_page(bank, every(bank), seed=3, mode="practice") != pages["practice"]


def secrets(drawn: Drawn) -> Iterator[str]:
    """The texts that tell something of the key, as they would stand in a page."""
    yield drawn.explanation
    yield getattr(drawn, "model", "")
    if drawn.kind == "true_false":
        yield from drawn.feedback.values()
    for part in (*getattr(drawn, "options", ()), *getattr(drawn, "traps", ()), *getattr(drawn, "blanks", ())):
        yield part.feedback or ""
    for part in getattr(drawn, "options", ()):
        yield from part.also
    yield from (text for blank in getattr(drawn, "blanks", ()) for text in blank.accept)


ATTRIBUTES = frozenset(
    re.split(
        r"\s+",
        """aria-describedby aria-label aria-labelledby autocapitalize autocomplete charset class content
        data-control display fence for form hidden href http-equiv id inputmode lang max maxlength min
        name novalidate rel required role rows separator spellcheck step stretchy tabindex type value
        width xmlns""",
    )
)


class Tags(HTMLParser):
    """The names of all attributes, and what stands in `value`."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.values: set[str | None] = set()

    def handle_starttag(self, _tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.names |= {name for name, _ in attrs}
        self.values |= {value for name, value in attrs if name == "value"}


def test_an_exam_page_holds_no_feedback_no_explanation_no_answer_and_no_flag(bank: Bank) -> None:
    drawn = [draw(question, 3) for question in bank.questions]
    page = words_of(quiz_page(bank, every(bank), seed=3, mode="exam"))
    shown = {re.sub(r"\W+", " ", Markup(text).striptags()) for text in re.findall(r">([^<>]+)<", page)}
    asked = " ".join([item.prompt + getattr(item, "code", "") for item in drawn])
    asked += " ".join(part.text for item in drawn for part in getattr(item, "options", ()))
    for item in drawn:
        for text in filter(None, secrets(item)):
            if text.strip() in asked or len(text.strip()) < 4:
                continue  # it is asked in those words elsewhere, or is a symbol that stands in the questions
            assert str(inline_html(text)) not in page, item.id
            assert re.sub(r"\W+", " ", text) not in shown, item.id
    facts = json.loads(re.search(r'id="facts">(.*?)</script>', page)[1])
    assert set(facts) == {"sheet"}
    assert "<template" not in page
    tags = Tags()
    tags.feed(page)
    assert tags.names - ATTRIBUTES == set()
    assert tags.values <= {"", "true", "false", *ascii_lowercase}


def test_a_practice_page_holds_what_an_exam_page_does_not(bank: Bank) -> None:
    page = words_of(quiz_page(bank, mode="practice"))
    assert "would write only into its own columns" in page
    assert '"keys"' in page


def test_a_page_is_one_file_that_asks_for_nothing(bank: Bank) -> None:
    page = quiz_page(bank, every(bank))
    assert re.findall(r'(?:src|href)="([^"]*)"', page) == ["data:,", "#questions"]
    assert re.findall(r"url\(|@import|https?://(?!www\.w3\.org/1998/Math/MathML)", page) == []
    policy = re.search(r'Content-Security-Policy" content="([^"]*)"', page)[1].replace("&#39;", "'")
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert re.findall(r"\son\w+=|\sstyle=", page) == []
    assert page.count("$") == grader.quiz.web.web.template_text("quiz/page.js").count(
        "$"
    )  # no maths is left as TeX


def test_equal_pages_are_equal_bytes_and_seed_and_learner_draw(bank: Bank) -> None:
    ids = every(bank)
    assert quiz_page(bank, ids, seed=3, learner="Ann") == quiz_page(bank, ids, seed=3, learner="Ann")
    assert quiz_page(bank, ids, seed=4, learner="Ann") != quiz_page(bank, ids, seed=3, learner="Ann")


def test_a_name_is_text(bank: Bank) -> None:
    page = quiz_page(bank, learner='"><script>alert(1)</script>')
    assert "<script>alert" not in page


def test_an_unknown_question_is_named(bank: Bank) -> None:
    with pytest.raises(InputError, match="kc-99"):
        quiz_page(bank, ["kc-99"])


def test_templates_are_found_beside_the_engine_and_nothing_is_left_out_of_them() -> None:
    assert (template_folder() / "quiz" / "page.html.j2").is_file()
    with pytest.raises(Exception, match="undefined"):
        render("quiz/page.html.j2")


# --- the page in Chromium ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no Chromium here (Debian: apt-get install chromium)")
    with playwright.sync_playwright() as driver:
        # Chromium's own sandbox needs another user than root; these are our own pages.
        options = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=options)
        yield browser
        browser.close()


GIVE = """answers => {
  for (const [id, values] of Object.entries(answers)) {
    const question = document.getElementById(id);
    const fields = [...question.querySelectorAll("input, select, textarea")];
    if (["one", "many"].includes(question.dataset.control)) {
      for (const value of values) fields.find(field => field.value === value).click();
      continue;
    }
    if (fields.length !== values.length) throw new Error(`${id}: ${fields.length} fields`);
    for (const [place, field] of fields.entries()) {
      field.value = field.matches("select") ? values[place].slice(-1) : values[place];
      field.dispatchEvent(new Event("input", { bubbles: true }));
    }
  }
}"""
CHECK = """() => {
  for (const button of document.querySelectorAll(".check")) button.click();
  return Object.fromEntries([...document.querySelectorAll(".question")].map(one => [one.id, one.dataset.result || ""]));
}"""


class Tab:
    """A quiz's page in a browser that may load nothing else and must not complain."""

    def __init__(self, browser: Any, place: Path, html: str, **options: Any) -> None:
        place.write_text(html, encoding="utf-8")
        self.complaints: list[str] = []
        self.context = browser.new_context(accept_downloads=True, **options)
        self.context.set_default_timeout(10_000)
        self.context.route(
            "**/*", lambda route: route.continue_() if route.request.url == url else route.abort()
        )
        self.page = self.context.new_page()
        self.page.on("console", lambda message: self.complaints.append(message.text))
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.page.on("request", lambda asked: self.complaints.append(asked.url) if asked.url != url else None)
        url = place.as_uri()
        self.page.goto(url)
        self.complaints = [words for words in self.complaints if not words.startswith("data:")]

    def give(self, drawn: Drawn, answer: Answer) -> None:
        """Answer one question by its own controls, as a person does."""
        question = self.page.locator(f"section[id='{drawn.id}']")
        match question.get_attribute("data-control"):
            case "one" | "many":
                for value in [answer] if isinstance(answer, str) else answer:
                    question.locator(f"input[value='{value}']").check()
            case "order" | "match":
                for select, value in zip(question.locator("select").all(), answer, strict=True):
                    select.select_option(value[-1])
            case _:
                fields = question.locator("input, textarea").all()
                for field, value in zip(fields, [answer] if isinstance(answer, str) else answer, strict=True):
                    field.fill(value)

    def give_all(self, given: Iterable[tuple[Drawn, Answer]]) -> None:
        """Answer many questions at once."""
        self.page.evaluate(
            GIVE, {item.id: [answer] if isinstance(answer, str) else answer for item, answer in given}
        )

    def check_all(self) -> dict[str, str]:
        """Press every Check button; what the page says of each question."""
        found: dict[str, str] = self.page.evaluate(CHECK)
        return found

    def download(self, name: str, place: Path) -> Path:
        self.page.fill("#learner", name)
        with self.page.expect_download() as waiting:
            self.page.click("#download")
        waiting.value.save_as(place)
        return place

    def close(self) -> None:
        self.context.close()
        assert self.complaints == []


@pytest.fixture
def open_tab(chromium: Any, tmp_path: Path) -> Iterator[Any]:
    tabs: list[Tab] = []

    def open_it(html: str, **options: Any) -> Tab:
        tabs.append(Tab(chromium, tmp_path / f"page{len(tabs)}.html", html, **options))
        return tabs[-1]

    yield open_it
    for tab in tabs:
        tab.close()


def taken(
    bank: Bank, ids: list[str] | None, answers: list[Answer], learner: str, seed: int, place: Path
) -> QuizRecord:
    """What the same answers earn in the terminal."""
    drawn = [draw(question, seed, learner) for question in bank.select(ids)]
    lines = [line for item, answer in zip(drawn, answers, strict=True) for line in typed(item, answer)]
    start = Progress(quiz=bank.quiz, learner=learner, seed=seed, mode="practice")
    take(bank, ids, start, place, Script(lines), Screen())
    return mark_sheet(bank, read_sheet(place), ids)


@pytest.mark.parametrize("mode", ["practice", "exam"])
def test_the_knowledge_check_is_answered_downloaded_and_marked(
    bank: Bank, open_tab: Any, tmp_path: Path, mode: Mode
) -> None:
    drawn = [draw(question) for question in bank.select()]
    tab = open_tab(quiz_page(bank, mode=mode))
    for item in drawn:
        tab.give(item, right(item))
    sheet = read_sheet(tab.download("Zoë O'Neil", tmp_path / "sheet.json"))
    assert (sheet.learner, sheet.seed, sheet.quiz, sheet.drawn_for) == ("Zoë O'Neil", 0, bank.quiz, "")
    record = mark_sheet(bank, sheet)
    assert (record.score, record.max_score, record.needs_review) == (10, 10, 0)
    assert "Still open" not in tab.page.inner_text("#download-said")


@pytest.mark.parametrize("choose", [right, other])
def test_page_terminal_and_marking_agree_on_every_question(
    bank: Bank, open_tab: Any, tmp_path: Path, choose: Any
) -> None:
    ids, seed = every(bank), 5
    drawn = [draw(question, seed, "Ann") for question in bank.select(ids)]
    answers = [choose(item) for item in drawn]
    tab = open_tab(quiz_page(bank, ids, seed=seed, learner="Ann"))
    tab.give_all(zip(drawn, answers, strict=True))
    said = tab.check_all()
    sheet = read_sheet(tab.download("Ann", tmp_path / "sheet.json"))
    record = SheetMarker(bank, ids).mark(sheet)
    assert record == taken(bank, ids, answers, "Ann", seed, tmp_path / "sheet.yaml")
    agreed = {"right": {"correct"}, "wrong": {"incorrect"}, "partly": {"partial"}}
    agreed["open"] = {"correct", "incorrect", "partial", "needs_review"}
    assert {
        item.id: said[item.id] for item in record.questions if item.outcome not in agreed[said[item.id]]
    } == {}
    sure = {
        item.id
        for item in drawn
        if item.kind in ("true_false", "multiple_choice", "numeric", "ordering", "matching")
    }
    assert {name for name in sure if said[name] == "open"} == set()


def test_a_page_for_everybody_is_marked_as_it_was_drawn(bank: Bank, open_tab: Any, tmp_path: Path) -> None:
    ids = [item.id for item in bank.questions if item.kind in ("ordering", "matching") or item.given][:12]
    tab = open_tab(quiz_page(bank, ids, seed=9, mode="exam"))
    for question in bank.select(ids):
        item = draw(question, 9, "")
        tab.give(item, right(item))
    record = mark_sheet(bank, read_sheet(tab.download("Somebody", tmp_path / "sheet.json")), ids)
    assert [item.id for item in record.questions if item.outcome != "correct"] == []


def test_open_questions_are_named_and_a_name_is_asked_for(bank: Bank, open_tab: Any, tmp_path: Path) -> None:
    tab = open_tab(quiz_page(bank, ["kc-02", "kc-03", "weigh-sizes"]))
    assert "0 of 3 answered" in tab.page.inner_text("#progress")
    tab.page.click("#download")
    assert tab.page.inner_text("#download-said") == "Write your name first."
    assert tab.page.evaluate("document.activeElement.id") == "learner"
    tab.page.click("section[id='kc-03'] .check")
    assert tab.page.inner_text("section[id='kc-03'] .said") == "Answer first."
    tab.page.locator("section[id='weigh-sizes'] select").first.select_option("a")
    tab.page.click("section[id='weigh-sizes'] .check")
    assert tab.page.inner_text("section[id='weigh-sizes'] .said") == "Fill every place first."
    sheet = json.loads(tab.download("Ann", tmp_path / "sheet.json").read_text())
    assert sheet["answers"] == {"weigh-sizes": ["a"]}
    assert tab.page.inner_text("#download-said").endswith("Still open: 1, 2.")


def test_a_changed_answer_takes_the_old_verdict_away(bank: Bank, open_tab: Any) -> None:
    tab = open_tab(quiz_page(bank, ["kc-02"]))
    said = tab.page.locator("section[id='kc-02'] .said")
    tab.page.check("input[value=true]")
    tab.page.click(".check")
    assert said.inner_text().startswith("Incorrect.")
    tab.page.check("input[value=false]")
    assert said.inner_text() == ""
    tab.page.click(".check")
    assert said.inner_text().startswith("Correct.")
    assert "1 correct" in tab.page.inner_text("#progress")


def test_with_scripts_off_everything_can_be_read_and_nothing_pretends_to_work(
    bank: Bank, open_tab: Any
) -> None:
    ids = one_of_each(bank)
    tab = open_tab(quiz_page(bank, ids, seed=2), java_script_enabled=False)
    assert "Scripts are off" in tab.page.inner_text("noscript")
    text = tab.page.inner_text("body")
    for number, item in enumerate((draw(question, 2) for question in bank.select(ids)), 1):
        assert f"Question {number}" in text
        section = tab.page.locator(f"section[id='{item.id}']")
        assert all(field.is_visible() for field in section.locator("input, select, textarea").all())
        for part in getattr(item, "options", ()):
            assert section.locator(f"input[value='{part.letter}']").count() == 1
    assert tab.page.locator("math").first.is_visible()
    assert [button for button in tab.page.locator("button").all() if button.is_visible()] == []
    assert "learner: your name" in text
    assert "Check each answer" not in text


def test_the_sheet_to_copy_is_a_sheet(bank: Bank, tmp_path: Path) -> None:
    page = quiz_page(bank, learner="no", seed=4)
    written = Markup(
        re.search(r"<pre [^>]*aria-label=\"Sheet to copy\">(.*?)</pre>", page, re.DOTALL)[1]
    ).unescape()
    (tmp_path / "sheet.txt").write_text(written.replace("kc-03:", "kc-03: a"), encoding="utf-8")
    sheet = read_sheet(tmp_path / "sheet.txt")
    assert (sheet.seed, sheet.drawn_for, sheet.learner) == (4, "no", "no")
    assert mark_sheet(bank, sheet).score == 1


CONTRASTS = """() => {
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = (node) => {
    for (let at = node; at; at = at.parentElement) {
      const found = numbers(getComputedStyle(at).backgroundColor);
      if (found.length < 4 || found[3] > 0) return found;
    }
    return [255, 255, 255];
  };
  const poor = [];
  let seen = 0;
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const node = walker.currentNode.parentElement;
    if (!walker.currentNode.textContent.trim() || !node.getClientRects().length) continue;
    if (node.closest("script, style")) continue;
    seen += 1;
    const [a, b] = [light(numbers(getComputedStyle(node).color)), light(ground(node))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    if (ratio < 4.5) poor.push(`${ratio.toFixed(2)} ${node.tagName} ${walker.currentNode.textContent.trim()}`);
  }
  return { poor, seen, ground: light(ground(document.body)) };
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_stands_out_in_light_and_in_dark(bank: Bank, open_tab: Any, scheme: str) -> None:
    ids = one_of_each(bank)
    tab = open_tab(quiz_page(bank, ids), color_scheme=scheme)
    drawn = [draw(question) for question in bank.select(ids)]
    tab.give_all((item, (right, other)[place % 2](item)) for place, item in enumerate(drawn))
    assert {"right", "wrong", "open"} <= set(tab.check_all().values())
    found = tab.page.evaluate(CONTRASTS)
    assert found["poor"] == []
    assert found["seen"] > 100
    assert (found["ground"] < 0.05) == (scheme == "dark")


def test_a_narrow_telephone_needs_no_sideways_scrolling(bank: Bank, open_tab: Any) -> None:
    tab = open_tab(quiz_page(bank, every(bank), seed=5), viewport={"width": 320, "height": 640})
    tab.give_all((item, right(item)) for item in (draw(question, 5) for question in bank.questions))
    tab.check_all()
    assert tab.page.evaluate("document.documentElement.scrollWidth") <= 320
    wide = "[...document.querySelectorAll('input, select, textarea, button, h2, .said')]"
    assert (
        tab.page.evaluate(f"{wide}.filter(n => n.getBoundingClientRect().right > 320).map(n => n.outerHTML)")
        == []
    )


FAULTS = """() => {
  const all = (what) => [...document.querySelectorAll(what)];
  const faults = [];
  for (const field of all("input, select, textarea")) {
    if (![...field.labels].some(label => label.textContent.trim())) faults.push(`no label: ${field.outerHTML}`);
  }
  for (const button of all("button")) if (!button.textContent.trim()) faults.push("a button without a name");
  for (const set of all("fieldset")) {
    if (!set.querySelector(":scope > legend")?.textContent.trim()) faults.push("no legend");
  }
  let level = 0;
  for (const heading of all("h1, h2, h3, h4, h5, h6")) {
    const next = Number(heading.tagName[1]);
    if (next > level + 1) faults.push(`a heading of level ${next} after ${level}`);
    level = next;
  }
  const ids = all("[id]").map(node => node.id);
  if (new Set(ids).size !== ids.length) faults.push("an id stands twice");
  for (const node of all("[aria-labelledby], [aria-describedby]")) {
    for (const name of ["aria-labelledby", "aria-describedby"]) {
      for (const id of (node.getAttribute(name) || "").split(/\\s+/).filter(Boolean)) {
        if (!document.getElementById(id)) faults.push(`${name}: no ${id}`);
      }
    }
  }
  if (document.documentElement.lang !== "en" || !document.title) faults.push("no language or no title");
  for (const one of ["main", "header", "h1", "form"]) if (all(one).length !== 1) faults.push(`not one ${one}`);
  for (const question of all(".question")) {
    if (!question.querySelector("[role=status]")) faults.push(`${question.id} has nowhere to speak`);
  }
  for (const wide of all("pre.code")) if (wide.tabIndex < 0) faults.push("code that no key can scroll");
  if (all("[tabindex]").some(node => node.tabIndex > 0)) faults.push("an order of its own");
  return faults;
}"""


@pytest.mark.parametrize("mode", ["practice", "exam"])
def test_every_control_has_its_name_and_the_page_its_landmarks(bank: Bank, open_tab: Any, mode: Mode) -> None:
    tab = open_tab(quiz_page(bank, every(bank), mode=mode))
    assert tab.page.evaluate(FAULTS) == []


def test_the_keyboard_is_enough(bank: Bank, open_tab: Any, tmp_path: Path) -> None:
    tab = open_tab(quiz_page(bank, ["kc-03", "split-wrong-width-line"]))
    press = tab.page.keyboard.press
    press("Tab")
    assert tab.page.evaluate("document.activeElement.className") == "skip"
    press("Enter")
    press("Tab")
    press("Space")
    outline = "getComputedStyle(document.activeElement).outlineStyle"
    assert tab.page.evaluate(outline) != "none"
    press("ArrowDown")
    assert tab.page.locator("input[value=b]").is_checked()
    press("Tab")
    press("Enter")
    assert tab.page.inner_text("section[id='kc-03'] .said").startswith("Incorrect.")
    press("Tab")  # the code, which can be scrolled
    press("Tab")
    tab.page.keyboard.type("3")
    press("Enter")
    assert tab.page.inner_text("section[id='split-wrong-width-line'] .said").startswith("Correct.")
    press("Tab")
    press("Tab")
    tab.page.keyboard.type("Ann")
    press("Tab")
    with tab.page.expect_download() as waiting:
        press("Enter")
    waiting.value.save_as(tmp_path / "sheet.json")
    assert json.loads((tmp_path / "sheet.json").read_text())["answers"] == {
        "kc-03": "b",
        "split-wrong-width-line": "3",
    }


def test_on_paper_there_are_the_questions_and_no_buttons(bank: Bank, open_tab: Any) -> None:
    tab = open_tab(quiz_page(bank), color_scheme="dark")
    tab.page.emulate_media(media="print")
    assert not tab.page.locator("#hand-in").is_visible()
    assert not tab.page.locator(".check").first.is_visible()
    assert tab.page.locator("section[id='kc-10']").is_visible()
    assert tab.page.evaluate("getComputedStyle(document.body).color") == "rgb(0, 0, 0)"
