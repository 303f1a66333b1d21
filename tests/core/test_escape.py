"""Hostile names and texts in every place where they are shown: terminal, page, Markdown, XML, table, log."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import unicodedata
import xml.etree.ElementTree as ET
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from grader.core.escape import (
    csv_cell,
    html,
    html_policy,
    json_quiet,
    markdown_block,
    markdown_inline,
    terminal,
    unformula,
    workflow_command,
    xml,
)
from grader.core.text import commandless, printable
from grader.course.audit.findings import Audit, Loss, MutantFinding, WorkFinding
from grader.course.audit.matrix import render as audit_page
from grader.quiz.stats.page import render_page as stats_page
from grader.quiz.stats.report import QuestionFigures, StatsReport, TestFigures, WrittenAnswer
from grader.report.junit import render as junit
from grader.report.layout import Page
from grader.report.terminal import render as terminal_report
from tests.tools.report_records import check, mistake, record, step

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)

# The Unicode characters that are ignored when shown, but for the two that choose a picture or a letter for a sign,
# and for those of the categories below; and the one blank that is no space.
IGNORABLE = {0x34F, 0x115F, 0x1160, 0x17B4, 0x17B5, *range(0x180B, 0x1810), 0x3164, *range(0xFE00, 0xFE0E), 0xFFA0,
             0x2800, *range(0xE0100, 0xE01F0)}  # fmt: skip
ATTACKS = (
    "<script>pwned('tag')</script>",
    "</title></style></textarea><img src=x onerror=\"pwned('img')\">",
    "\" onmouseover=\"pwned('attribute')\" autofocus onfocus=\"pwned('focus')\" x=\"",
    "'><svg onload=pwned('svg')>",
    "<iframe srcdoc=\"<script>parent.pwned('frame')</script>\"></iframe>",
    "<a href=\"javascript:pwned('link')\">read on</a>",
    "{{ 7 * 7 }}{% for x in [1] %}{{ cycler.__init__.__globals__ }}{% endfor %}",
    "\x1b]0;title\x07\x1b[2J\x1b[31mred\x1b[0m\x9b31m",
    "100 / 100\r 0 / 100",
    "abc\u202egnp.exe\u2066\u200b\u034f\u3164",
    "::add-mask::100\n::error file=a.py,line=1::none",
    "  ::set-output name=a::b\n\t::stop-commands::x",
    "##[add-mask]x ##vso[task.complete result=Succeeded;]done ##teamcity[buildStatus]",
    "![](https://tracker.example/p.png)[see](https://evil.example) <https://evil.example>",
    "``` \n# big\n````\n<details><summary>x</summary>\n| a | b |\n|---|---|\n",
    "@everyone #1 www.evil.example :tada: $`x`$ &lt;b&gt; \\`x\\` [ref]: //evil.example",
    "=HYPERLINK(\"http://evil.example\";\"score\")",
    "+1\t=1\r\n@SUM(1)",
    "-2+3|cmd|' /C calc'!A0",
    "]]><x/><!-- & \x00\x0b\ufffe\ud800",
)  # fmt: skip
LETTERS = st.characters() | st.sampled_from(
    "`:#[]<>&\"'|=+-@\t\r\n\x1b\u202e\u200b\u2066\ufeff \\!()\u034f\u3164"
)
TEXTS = st.text(LETTERS, max_size=40) | st.lists(st.sampled_from(ATTACKS), max_size=3).map("".join)
# A command as the runners read it: the line's spaces (and its colours) do not count.
OBEYED = re.compile(r"^(?:\x1b\[[0-9;]*m|\s)*::|##\w*\[")

every_text = settings(derandomize=True, max_examples=300, deadline=None)


def unseen(text: str, kept: str = "") -> list[str]:
    """The characters of a text that nobody sees, but for those that may stand there."""
    hidden = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    found = [one for one in text if unicodedata.category(one) in hidden or ord(one) in IGNORABLE]
    return [one for one in found if one not in kept]


def obeyed(text: str) -> list[str]:
    """The lines of a log that a build service obeys."""
    return [line for line in re.split(r"[\r\n]", text) if OBEYED.search(line)]


def with_attacks(test: Callable[..., None]) -> Callable[..., None]:
    """Each attack is tried by name, beside what is drawn."""
    for attack in ATTACKS:
        test = example(attack)(test)
    return test


# --- every sink ---------------------------------------------------------------------------------


@every_text
@with_attacks
@given(TEXTS)
def test_no_sink_lets_a_character_through_that_nobody_sees(text: str) -> None:
    cell = csv_cell(text)
    assert isinstance(cell, str)
    assert unseen(terminal(text)) == []
    assert unseen(str(html(text)), "\n\t") == []
    assert unseen(markdown_block(text), "\n\t") == []
    assert unseen(markdown_inline(text)) == []
    assert unseen(xml(text)) == []
    assert unseen(cell, "\n\t") == []
    assert unseen(workflow_command("error", text, file=text, title=text, line=3), "\t") == []


def test_letters_without_ink_are_written_out() -> None:
    for code in IGNORABLE:
        written = f"\\u{code:04x}" if code <= 0xFFFF else f"\\U{code:08x}"
        assert printable(f"a{chr(code)}b") == f"a{written}b"


# --- 79: HTML -----------------------------------------------------------------------------------


class Tags(HTMLParser):
    """The tags and the attributes that a browser would find, and the text."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, list[tuple[str, str | None]]]] = []
        self.words = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, attrs))

    def handle_data(self, data: str) -> None:
        self.words += data


@every_text
@with_attacks
@given(TEXTS)
def test_a_page_shows_any_text_as_text_in_elements_and_attributes(text: str) -> None:
    shown = printable(text, 4000, keep_lines=True)
    page = Tags(f'<p title="{html(text)}">{html(text)}</p>')
    assert page.found == [("p", [("title", shown)])]
    assert page.words == shown


def hostile_audit() -> Audit:
    """An audit whose every word is an attack."""
    evil = "".join(ATTACKS)
    mutant = MutantFinding(
        id=evil, step=evil, file=evil, line=1, operator=evil, was=evil, now=f"{evil}x", outcome="survived"
    )
    loss = Loss(who=evil, step=evil, check=evil, message=evil)
    return Audit(
        lesson=evil, seed=1, proved=False, problems=(evil,), known=(), mutants=(mutant,), whole=True, stale=(),
        work=(WorkFinding(kind="right", tried=1, losses=(loss,)),), checks=(), seconds=1.0,
    )  # fmt: skip


def hostile_statistics() -> StatsReport:
    """Statistics of a quiz whose every word is an attack."""
    evil = "".join(ATTACKS)
    asked = QuestionFigures(
        id=evil, max_points=1, sheets=30, answered=28, waiting=0, difficulty=0.5, discrimination=0.3,
        discrimination_interval=(0.1, 0.5), seconds=1.0, flags=(evil,), prompt=evil,
        written=(WrittenAnswer(text=evil, count=3),),
    )  # fmt: skip
    whole = TestFigures(
        mean=0.7, sd=0.2, alpha=0.6, alpha_questions=1, alpha_interval=(0.4, 0.7), standard_error=0.1,
        histogram=(0, 0, 1, 2, 5, 8, 7, 4, 2, 1), flags=(evil,),
    )  # fmt: skip
    return StatsReport(quiz=evil, title=evil, sheets=30, test=whole, questions=(asked,))


ESCAPED = '<title>{0}</title><p title="{0}">{0}</p><textarea>{0}</textarea><table><td>{0}</table>'
WATCH = "window.ran = []; window.pwned = what => { window.ran.push(what); };"


@pytest.fixture(scope="module")
def opened() -> Iterator[Callable[[str, Path], tuple[list[str], list[str]]]]:
    """Opens a page in Chromium: what ran in it, and what it asked for, complained of or asked the reader."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    if CHROMIUM is None:
        pytest.skip("no Chromium here (Debian: apt-get install chromium)")
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox"] if os.geteuid() == 0 else []
        )

        def open_page(text: str, place: Path) -> tuple[list[str], list[str]]:
            place.write_text(text, encoding="utf-8", errors="replace")
            url = place.as_uri()
            context = browser.new_context()
            page: Any = context.new_page()
            noticed: list[str] = []
            page.on("request", lambda asked: noticed.append(asked.url) if asked.url != url else None)
            page.on("console", lambda message: noticed.append(message.text))
            page.on("dialog", lambda dialog: (noticed.append(dialog.message), dialog.dismiss()))
            page.add_init_script(WATCH)
            page.goto(url)
            page.mouse.move(30, 30)
            page.wait_for_timeout(200)
            ran = page.evaluate("window.ran")
            context.close()
            return ran, noticed

        yield open_page
        browser.close()


def test_a_browser_runs_nothing_of_hostile_names_and_texts(opened: Any, tmp_path: Path) -> None:
    texts = {"audit": audit_page(hostile_audit()), "statistics": stats_page(hostile_statistics())}
    texts["escaped"] = ESCAPED.format(html("".join(ATTACKS)))
    for name, text in texts.items():
        assert "pwned" in text, f"the {name} page does not show the attacks at all"
        assert opened(text, tmp_path / f"{name}.html") == ([], []), name


def test_the_policy_alone_would_stop_them_and_without_either_they_run(opened: Any, tmp_path: Path) -> None:
    raw = "".join(f"<p>{attack}</p>" for attack in ATTACKS[:5])
    policy = f'<meta http-equiv="Content-Security-Policy" content="{html_policy("p {}")}">'
    ran, _ = opened(raw, tmp_path / "raw.html")
    assert {"tag", "img"} <= set(ran), "the attacks are harmless, so this test shows nothing"
    ran, noticed = opened(policy + raw, tmp_path / "policy.html")
    assert ran == []
    assert any("Content Security Policy" in line for line in noticed)


# --- 80: terminals ------------------------------------------------------------------------------


def hostile_record(text: str) -> Any:
    """A record in which everything that may come from a submission is this text."""
    failed = check("values", "failed", 0, 10, message=text)
    one = step(
        "peel", "failed", checks=(failed, check("lid", "failed", 0, 1, message=text)), note=text, review=(text,),
        advice=(text,), prints=text, mistakes=(mistake("salt", title=text, message=text),),
    )  # fmt: skip
    return record(
        one, warnings=(text,), submission={"name": text, "sha256": "ab" * 32},
    )  # fmt: skip


@every_text
@with_attacks
@given(TEXTS)
def test_a_terminal_gets_no_escape_code_no_markup_and_no_picture_of_another_text(text: str) -> None:
    shown = terminal_report(hostile_record(text), width=80, colour=False)
    assert unseen(shown, "\n") == []
    assert obeyed(shown) == []
    page = Page(width=100, unicode=True)
    marked = page.write([page.text(f"[bold]x[/bold] :tada: {printable(text)[:40]}")], colour=False)
    assert marked.startswith("[bold]x[/bold] :tada:")


def test_a_fault_told_on_standard_error_is_one_clean_line(tmp_path: Path) -> None:
    evil = "a\x1b[2J\u202e##[add-mask]\n::error::b"
    words = [sys.executable, "-m", "grader", "grade", str(tmp_path / evil), "--json", "-"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert unseen(done.stderr, "\n") == []
    assert obeyed(done.stderr) == []
    assert done.stderr.count("\n") == 1
    assert "a\\x1b[2J\\u202e# [add-mask] ::error::b: no such file or folder" in done.stderr


# --- 81: commands of build services -------------------------------------------------------------


@every_text
@with_attacks
@given(TEXTS)
def test_no_line_of_a_log_is_a_command_that_we_did_not_write(text: str) -> None:
    assert obeyed(terminal(text)) == []
    assert obeyed(commandless(printable(text, keep_lines=True))) == []
    (line,) = workflow_command("error", text, file=text, line=3, title=text).splitlines()
    assert line.startswith("::error ")
    assert OBEYED.search(line.removeprefix("::error ")) is None
    named, _, said = line.removeprefix("::error ").partition("::")
    assert [part.partition("=")[0] for part in named.split(",")] == (
        ["file", "line", "title"] if text else ["line"]
    )
    assert said.replace("%0A", "\n").replace("%25", "%") == commandless(
        printable(text, 4000, keep_lines=True)
    )


@every_text
@with_attacks
@given(TEXTS)
def test_a_record_on_standard_output_is_the_same_record_without_commands(text: str) -> None:
    made = hostile_record(printable(text, keep_lines=True))
    told = made.to_json()
    assert obeyed(told) == []
    assert json.loads(told)["steps"][0]["prints"] == made.steps[0].prints
    assert json.loads(json_quiet(json.dumps([text]))) == [text]


@pytest.mark.parametrize(
    ("kind", "given_", "line"),
    [
        ("error", {"message": "50% off,\nnow: x"}, "::error::50%25 off,%0Anow: x"),
        (
            "warning",
            {"message": "m", "file": "a,b:c%.py", "line": 7},
            "::warning file=a%2Cb%3Ac%25.py,line=7::m",
        ),
        ("notice", {"message": "::error::x", "title": "::t"}, "::notice title=%3A t::: error::x"),
        ("notice", {"message": "a\r::b"}, "::notice::a\\x0d::b"),
    ],
)
def test_an_annotation_is_written_as_github_reads_it(kind: Any, given_: dict[str, Any], line: str) -> None:
    assert workflow_command(kind, **given_) == line


@pytest.mark.parametrize(
    ("text", "quiet"),
    [
        ("::error::x", ": error::x"),
        ("a\n  ::b", "a\n  : b"),
        (":::a", ": :a"),
        ("\x1b[2m ::a", "\x1b[2m : a"),
        ("a ##[group]b ###vso[x]", "a # [group]b ## vso[x]"),
        ("x[::2] a::b ## [c] ##", "x[::2] a::b ## [c] ##"),
    ],
)
def test_a_command_loses_a_sign_and_no_width(text: str, quiet: str) -> None:
    assert commandless(text) == quiet
    assert len(text) == len(quiet)


# --- 82: Markdown -------------------------------------------------------------------------------


def tokens(markdown: str) -> list[tuple[str, str]]:
    """What CommonMark with tables makes of a text: each token's kind and content, those inside too."""
    found = []
    for token in MarkdownIt("commonmark", {"html": True}).enable("table").parse(markdown):
        found.append((token.type, token.content))
        found += [(inner.type, inner.content) for inner in token.children or ()]
    return found


@every_text
@with_attacks
@given(TEXTS)
def test_a_block_of_markdown_holds_any_text_and_ends_after_it(text: str) -> None:
    shown = printable(text, 4000, keep_lines=True).rstrip("\n")
    kinds = tokens(f"before\n\n{markdown_block(text)}after\n")
    assert kinds == [
        ("paragraph_open", ""), ("inline", "before"), ("text", "before"), ("paragraph_close", ""),
        ("fence", f"{shown}\n"),
        ("paragraph_open", ""), ("inline", "after"), ("text", "after"), ("paragraph_close", ""),
    ]  # fmt: skip


@every_text
@with_attacks
@given(TEXTS)
def test_a_line_of_markdown_holds_any_text_as_code_wherever_it_stands(text: str) -> None:
    code, cell = markdown_inline(text), markdown_inline(text, cell=True)
    shown = printable(" ".join(text.split()), 4000).strip()
    for place in (f"{code}\n", f"- {code} by\n", f"# {code}\n", f"> {code}\n", f"1. by {code}\n"):
        inner = [token for token in tokens(place) if token[0] in ("code_inline", "text") and token[1].strip()]
        assert [content for kind, content in inner if kind == "code_inline"] == [shown] * bool(shown)
        assert {content.strip() for kind, content in inner if kind == "text"} <= {"by"}
        assert {kind for kind, _ in tokens(place)}.isdisjoint(
            {"link_open", "image", "html_inline", "html_block", "fence", "table_open"}
        )
    table = tokens(f"| a | b |\n|---|---|\n| {cell} | end |\n")
    assert [kind for kind, _ in table].count("td_open") == 2
    assert [content for kind, content in table if kind == "code_inline"] == [shown] * bool(shown)


# --- 83: tables ---------------------------------------------------------------------------------

FORMULA = re.compile(r"\s*[=+\-@＝＋－＠]|[\t\r]")


@every_text
@with_attacks
@given(TEXTS)
def test_no_cell_of_a_table_read_again_begins_a_formula(text: str) -> None:
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows([["name", "points"], [csv_cell(text), csv_cell(-0.5)]])
    rows = list(csv.reader(io.StringIO(out.getvalue(), newline="")))
    assert rows[0] == ["name", "points"]
    assert len(rows) == 2
    assert rows[1][1] == "-0.5"
    assert FORMULA.match(rows[1][0]) is None
    assert rows[1][0] in {shown := printable(text, 4000, keep_lines=True), f"'{shown}"}


@pytest.mark.parametrize(
    ("value", "cell"),
    [(-3, -3), (2.5, 2.5), (10**400, 10**400), (None, ""), (float("nan"), ""), (float("inf"), ""), ("-3", "'-3"),
     ("a-b", "a-b"), ("", ""), (" =1", "' =1"), ("＝1", "'＝1")],
)  # fmt: skip
def test_numbers_stay_numbers_and_text_that_looks_like_one_stays_text(value: Any, cell: Any) -> None:
    assert csv_cell(value) == cell
    assert type(csv_cell(value)) is type(cell)


def test_only_what_begins_a_formula_is_marked() -> None:
    assert [unformula(text) for text in ("\tx", "\rx", "x=1", "'=1")] == ["'\tx", "'\rx", "x=1", "'=1"]


# --- 84: XML ------------------------------------------------------------------------------------


@every_text
@with_attacks
@given(TEXTS)
def test_any_record_is_xml_that_reads_back(text: str) -> None:
    root = ET.fromstring(junit(hostile_record(text)).encode("utf-8"))
    (suite,) = root
    named = {one.get("name"): one.get("value") for one in suite.findall("properties/property")}
    assert named["submission"] == printable(text, 4000, keep_lines=True)
    element = ET.Element("a", b=xml(text, keep_lines=True))
    element.text = xml(text, keep_lines=True)
    again = ET.fromstring(ET.tostring(element))
    assert (again.text or "") == again.get("b") == printable(text, 4000, keep_lines=True)
