from __future__ import annotations

import csv
import html
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from lxml import html as lxml_html
from typer.testing import CliRunner

from grader.core.errors import InputError
from grader.core.escape import unformula
from grader.quiz.bank.bank import Bank, read_bank
from grader.quiz.commands.app import app
from grader.quiz.commands.export import NAMES
from grader.quiz.drawing.drawn import DrawnBlank, DrawnOption
from grader.quiz.export.formats import FORMATS
from grader.quiz.export.gift import gift_escaped
from grader.quiz.export.items import Blanks, Choice, Essay, Item, Truth
from grader.quiz.export.markup import as_tex, clean
from grader.quiz.export.markup import html as as_html
from grader.quiz.export.moodle import _question as moodle_question
from grader.quiz.export.plan import Losses, plan
from grader.quiz.export.wordings import shape_wordings
from grader.quiz.export.xml import tag
from tests.quiz.platforms import canvas, gift, moodle, qti21
from tests.quiz.platforms.tries import ROOT, Try, drawn_items, whole

# question_bank::fraction_options_full() of Moodle: an import refuses any other share.
MOODLE_SHARES = (1, 0.9, 0.8333333, 0.8, 0.75, 0.7, 0.6666667, 0.6, 0.5, 0.4, 0.3333333, 0.3, 0.25, 0.2, 0.1666667,
                 0.1428571, 0.125, 0.1111111, 0.1, 0.05, 0)  # fmt: skip

SMALL = """
version: 1
quiz: small
title: "A <small> quiz / with & signs"
lesson: none_such
check: [q-none, q-third, q-unit, q-many, q-arrow, q-match, q-fill]
questions:
  - {id: q-none, kind: multiple_choice, select: many, objective: a, difficulty: easy, points: 3, prompt: "Which?",
     explanation: "Two.", options: [{text: one, correct: true}, {text: two, correct: true}, {text: three}]}
  - {id: q-third, kind: numeric, objective: a, difficulty: easy, prompt: "A third?", answer: 1/3, explanation: "So."}
  - {id: q-unit, kind: numeric, objective: a, difficulty: easy, prompt: "How long?", answer: 2.5, unit: m,
     units: [metres], tolerance: {absolute: 0.25}, explanation: "So."}
  - {id: q-many, kind: multiple_choice, select: many, partial: each, objective: a, difficulty: easy, prompt: "Which?",
     explanation: "Eleven.", options: [{text: wrong}, {text: r1, correct: true}, {text: r2, correct: true},
     {text: r3, correct: true}, {text: r4, correct: true}, {text: r5, correct: true}, {text: r6, correct: true},
     {text: r7, correct: true}, {text: r8, correct: true}, {text: r9, correct: true}, {text: r10, correct: true},
     {text: r11, correct: true}]}
  - {id: q-arrow, kind: code_reading, ask: output, code: "print('a->b')", prints: ["a->b"], objective: a,
     difficulty: easy, prompt: "What?", explanation: "So."}
  - {id: q-match, kind: matching, objective: a, difficulty: easy, prompt: "Match.", explanation: "So.",
     pairs: [{left: x, right: "$d_k$"}, {left: "y > z", right: "`code`"}], distractors: [w]}
  - {id: q-fill, kind: fill, objective: a, difficulty: easy, prompt: "a [[1]] b [[2]]", explanation: "So.",
     blanks: [{accept: ["{x}~y#z"]}, {accept: ["50% = \\\\half*", half]}]}
"""


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Bank:
    path = tmp_path_factory.mktemp("banks") / "small.yaml"
    path.write_text(SMALL, encoding="utf-8")
    return read_bank(path)


def written(name: str, made: Any) -> tuple[bytes, list[str]]:
    losses = Losses()
    return FORMATS[name].write(made, losses), losses.lines()


# --- the files themselves -----------------------------------------------------------------------


def dtd(text: str) -> etree.DTD:
    return etree.DTD(io.StringIO(text))


def bare(data: bytes) -> etree._Element:
    """The document without its namespace's prefix, for a DTD knows none."""
    return etree.fromstring(data)


def test_canvas_has_one_identifier_and_an_order_of_elements_that_the_specification_has() -> None:
    data, _ = written("canvas-qti", whole(3))
    files = canvas.unpack(data)
    manifest = etree.fromstring(files["imsmanifest.xml"])
    hrefs = [node.get("href") for node in manifest.iterfind(".//p:file", canvas.PACKAGE)]
    folder = hrefs[0].split("/")[0]
    assert sorted([*hrefs, "imsmanifest.xml", "non_cc_assessments/"]) == sorted(files)
    quiz = etree.fromstring(files[f"{folder}/{folder}.xml"])
    settings_of = etree.fromstring(files[f"{folder}/assessment_meta.xml"])
    assert settings_of.get("identifier") == quiz[0].get("ident") == folder
    resources = {node.get("identifier") for node in manifest.iterfind(".//p:resource", canvas.PACKAGE)}
    needed = {node.get("identifierref") for node in manifest.iterfind(".//p:dependency", canvas.PACKAGE)}
    assert needed < resources
    rules = dtd(canvas.DTD)
    assert rules.validate(quiz), rules.error_log.filter_from_errors()
    idents = [node.get("ident") for node in quiz.iter("{*}item", "{*}section")]
    assert len(idents) == len(set(idents))


def test_canvas_points_and_feedback_lead_somewhere() -> None:
    made = whole(2)
    for name, question in canvas.read(written("canvas-qti", made)[0]).items():
        linked = {node.get("linkrefid") for node in question.node.iter("{*}displayfeedback")}
        there = {node.get("ident") for node in question.node.iter("{*}itemfeedback")}
        assert linked <= there, name
        assert float(question.fields()["points_possible"]) > 0
        answers = question.fields()["original_answer_ids"].split(",")
        assert len(answers) == len(set(answers))


def test_qti21_items_and_test_have_the_order_of_elements_that_the_specification_has() -> None:
    data, _ = written("qti21", whole(3))
    files = qti21.unpack(data)
    manifest = etree.fromstring(files["imsmanifest.xml"])
    listed = [node.get("href") for node in manifest.iterfind(".//p:file", qti21.PACKAGE)]
    assert sorted([*listed, "imsmanifest.xml"]) == sorted(files)
    test_rules = dtd(qti21.TEST_DTD)
    test = etree.fromstring(files["test.xml"])
    assert test_rules.validate(test), test_rules.error_log.filter_from_errors()
    refs = [node.get("href") for node in test.iter("{*}assessmentItemRef")]
    assert sorted(refs) == sorted(name for name in files if name.startswith("items/"))
    rules = dtd(qti21.ITEM_DTD + "".join(f"<!ELEMENT {name} ANY>" for name in sorted(qti21.HTML)))
    for href in refs:
        item = etree.fromstring(files[href])
        for maths in list(item.iter("{http://www.w3.org/1998/Math/MathML}math")):
            tail, parent = maths.tail or "", maths.getparent()
            before = maths.getprevious()
            if before is not None:
                before.tail = (before.tail or "") + tail
            else:
                parent.text = (parent.text or "") + tail
            parent.remove(maths)
        for node in item.iter("{*}code", "{*}ol", "{*}li", "{*}th", "{*}td"):
            node.attrib.pop("class", None)
        assert rules.validate(item), (href, rules.error_log.filter_from_errors())


def test_qti21_asks_each_declared_response_and_says_only_what_it_holds() -> None:
    for name, item in qti21.read(written("qti21", whole(2))[0]).items():
        declared = {node.get("identifier") for node in item.root.iter("{*}responseDeclaration")}
        asked = [
            node.get("responseIdentifier") for node in item.root.iter() if node.get("responseIdentifier")
        ]
        assert sorted(asked) == sorted(declared), name
        said = {
            node.text for node in item.root.iter("{*}baseValue") if node.getparent().tag.endswith("}multiple")
        }
        feedback = [node.get("identifier") for node in item.root.iter("{*}modalFeedback")]
        assert said == set(feedback), name
        assert len(feedback) == len(set(feedback))


def test_moodle_takes_every_share() -> None:
    for question in moodle.read(written("moodle-xml", whole(1))[0]).values():
        if question.kind in ("multichoice", "shortanswer", "numerical", "truefalse"):
            for share, *_ in question.answers():
                assert any(abs(abs(share) - known) < 0.00001 for known in MOODLE_SHARES), share


def test_draws_are_a_group_in_each_format_that_has_groups() -> None:
    made = whole(4)
    several = {group.question.id: len(group.drawn) for group in made.groups if len(group.drawn) > 1}
    assert len(several) >= 20
    found = moodle.categories(written("moodle-xml", made)[0])
    assert {
        name.rpartition("/")[2]: len(names) for name, names in found.items() if name.count("/") == 3
    } == several
    gift_text = written("gift", made)[0].decode()
    assert set(re.findall(r"^\$CATEGORY: \$course\$/top/[^/\n]+/(.+)$", gift_text, re.MULTILINE)) == set(
        several
    )
    quiz = next(data for name, data in canvas.unpack(written("canvas-qti", made)[0]).items()
                if name.endswith(".xml") and "/" in name and "meta" not in name)  # fmt: skip
    groups = {
        section.get("title"): len(section.findall("q:item", canvas.NS))
        for section in etree.fromstring(quiz).iter("{*}section")
        if section.findtext(".//q:selection_number", namespaces=canvas.NS) == "1" and section.get("title")
    }
    assert groups == several
    test = etree.fromstring(qti21.unpack(written("qti21", made)[0])["test.xml"])
    sections = {
        node.getparent().get("title"): len(node.getparent().findall("q:assessmentItemRef", qti21.NS))
        for node in test.iter("{*}selection")
        if node.get("select") == "1"
    }
    assert sections == several


def test_draws_differ_and_follow_the_seed() -> None:
    one, same, other = (
        written("moodle-xml", whole(3, seed, ["split-first-column"]))[0] for seed in (1, 1, 2)
    )
    assert one == same != other
    prompts = [question.node.findtext("questiontext/text") for question in moodle.read(one).values()]
    assert len(set(prompts)) == 3


def test_the_same_bank_gives_the_same_bytes_in_every_process() -> None:
    program = """
import hashlib
from tests.quiz.platforms.tries import EVERY, whole
from grader.quiz.export.formats import FORMATS
from grader.quiz.export.plan import Losses
for name, format in FORMATS.items():
    print(name, hashlib.sha256(format.write(whole(2, 0, EVERY[::4]), Losses())).hexdigest())
"""
    printed = []
    for seed in ("1", "2"):
        environment = {
            **os.environ,
            "PYTHONHASHSEED": seed,
            "PYTHONPATH": str(ROOT),
            "TZ": f"UTC+{seed}",
        }
        done = subprocess.run(
            [sys.executable, "-c", program],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        printed.append(done.stdout)
    assert printed[0] == printed[1]
    assert len(printed[0].splitlines()) == len(NAMES)


# --- maths --------------------------------------------------------------------------------------


def test_maths_is_tex_for_moodle_and_mathml_in_the_packages() -> None:
    made = whole(1)
    with_maths = {item.name for _, item in drawn_items(made) if "$" in item.prompt}
    assert len(with_maths) > 20
    for questions in (moodle.read(written("moodle-xml", made)[0]), gift.read(written("gift", made)[0])):
        for name in with_maths & questions.keys():
            text = questions[name].node.findtext("questiontext/text")
            assert text.count(r"\(") == text.count(r"\)") > 0
            outside = re.sub(r"<(code|pre)\b.*?</\1>", "", text, flags=re.DOTALL)
            assert "$" not in outside
    for item in qti21.read(written("qti21", made)[0]).values():
        maths = [node for node in item.root.iter() if etree.QName(node).localname == "math"]
        assert all(etree.QName(node).namespace == "http://www.w3.org/1998/Math/MathML" for node in maths)
        assert bool(maths) or item.root.get("title") not in with_maths
    for name, question in canvas.read(written("canvas-qti", made)[0]).items():
        page = lxml_html.fragment_fromstring(
            question.node.find("q:presentation/q:material/q:mattext", canvas.NS).text
        )
        assert bool(page.findall(".//math")) == (name in with_maths)


# --- the rubric and the key ---------------------------------------------------------------------


def test_a_rubric_is_for_who_marks_and_for_nobody_else() -> None:
    made = whole(1)
    essays = [item for _, item in drawn_items(made) if isinstance(item.form, Essay)]
    assert len(essays) == 8
    from_moodle, from_qti = moodle.read(written("moodle-xml", made)[0]), qti21.read(written("qti21", made)[0])
    gift_text = written("gift", made)[0].decode()
    for item in essays:
        says = item.form.rubric.concepts[0].says
        node = from_moodle[item.name].node
        assert html.escape(says, quote=False) in node.findtext("graderinfo/text").replace("&quot;", '"')
        assert says not in node.findtext("questiontext/text")
        rubric = from_qti[item.name].root.find(".//q:rubricBlock", qti21.NS)
        assert rubric.get("view") == "scorer"
        assert says in "".join(rubric.itertext())
        assert f"// - {says}" in gift_text


def test_without_key_nothing_of_the_key_is_there(small: Bank) -> None:
    for made in (whole(1), plan(small)):
        for name in ("markdown", "csv"):
            keyless = FORMATS[name].keyless
            assert keyless is not None
            shown, full = keyless(made, Losses()).decode(), FORMATS[name].write(made, Losses()).decode()
            assert len(shown) < len(full)
            for _, item in drawn_items(made):
                texts = [item.explanation]
                if isinstance(item.form, Choice):
                    texts += [option.feedback for option in item.form.options if option.feedback]
                if isinstance(item.form, Truth):
                    texts += list(item.form.feedback.values())
                if isinstance(item.form, Essay):
                    texts += [item.form.model, item.form.rubric.concepts[0].says]
                for text in texts:
                    line = max(text.split("\n"), key=len).replace('"', '""' if name == "csv" else '"')
                    if len(line) > 40:  # a short one may stand in another question
                        assert line not in shown, (name, item.name, line)
                        assert line in full, (name, item.name, line)
    header = next(csv.reader(io.StringIO(FORMATS["csv"].keyless(plan(small), Losses()).decode("utf-8-sig"))))
    assert set(header).isdisjoint({"answer", "feedback", "explanation"})


def test_csv_has_one_row_a_question_and_every_text(small: Bank) -> None:
    rows = list(csv.DictReader(io.StringIO(written("csv", whole(2))[0].decode("utf-8-sig"), newline="")))
    pairs = drawn_items(whole(2))
    assert len(rows) == len(pairs)
    for row, (_, item) in zip(rows, pairs, strict=True):
        assert row["prompt"].removeprefix("'") == item.prompt
        assert row["name"] == item.name
    answers = [
        row["answer"]
        for row in csv.DictReader(io.StringIO(written("csv", plan(small))[0].decode("utf-8-sig")))
    ]
    assert answers[:3] == ["(a), (b)", "1/3", "2.5 ± 0.25 m"]


@given(st.text() | st.text(st.sampled_from(" \t\r\n=+-@＝ab1\u00a0"), max_size=6))
def test_no_cell_is_a_formula(text: str) -> None:
    cell = unformula(text)
    assert not cell.lstrip().startswith(("=", "+", "-", "@", "＝"))
    assert not cell.startswith(("\t", "\r", "\n"))
    assert cell in (text, f"'{text}")


# --- escaping -----------------------------------------------------------------------------------

SIGNS = st.text(st.sampled_from("~=#{}:\\/%*<>&\"'[]()$`_-|!.\n ->ab1éπ👍"), min_size=1, max_size=30)


def an_item(form: Any, prompt: str = "Which?", explanation: str = "So.") -> Item:
    return Item("q", "q", "multiple_choice", 1.0, prompt, explanation, (), form)


def option(letter: str, text: str, *, correct: bool, feedback: str | None = None) -> DrawnOption:
    return DrawnOption(letter=letter, place=ord(letter) - 97, text=text, correct=correct, feedback=feedback)


def code(text: str) -> str:
    """Markdown that shows the text as it is, whatever it holds, on one line."""
    text = text.replace("\n", " ")
    ticks = "`" * (max(map(len, re.findall("`+", text)), default=0) + 1)
    return f"{ticks} {text} {ticks}"


def seen(markup: str) -> str:
    return re.sub(
        r"\s+", " ", "".join(lxml_html.fragment_fromstring(f"<div>{markup}</div>").itertext())
    ).strip()


def flat(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


@settings(deadline=None)
@given(SIGNS, SIGNS, SIGNS)
def test_gift_gives_every_sign_back(prompt: str, right: str, said: str) -> None:
    options = (option("a", code(right), correct=True, feedback=code(said)), option("b", "zzz", correct=False))
    item = an_item(Choice(options, many=False, partial=False, shuffle=False), code(prompt), code(said))
    from grader.quiz.export.gift import _question

    block = _question(item, Losses())
    if "\n\n" in block:
        pytest.fail("a blank line ends a question")
    question = gift.read(block.encode())["q"]
    share, text, feedback, _ = question.answers()[0]
    assert share == 1
    assert seen(text) == flat(right)
    assert seen(feedback) == flat(said)
    assert seen(question.node.findtext("questiontext/text")) == flat(prompt)
    assert seen(question.node.findtext("generalfeedback/text")) == flat(said)


@given(st.text(st.sampled_from("~=#{}:\\n&;0123 \né")))
def test_gift_escapes_so_that_moodle_reads_the_same(text: str) -> None:
    text = text.replace("\r", "").replace("&&", "")
    escaped = gift_escaped(text)
    assert "\n" not in escaped
    assert not re.search(r"(?<!\\)(?:\\\\)*[~=#{}:]", escaped)
    assert gift.after(gift.before(escaped)) == text


@settings(deadline=None)
@given(st.lists(SIGNS.map(str.strip).filter(bool), min_size=1, max_size=3, unique_by=str.casefold), SIGNS)
def test_moodle_cloze_takes_what_is_accepted_and_nothing_else(accept: list[str], said: str) -> None:
    blank = DrawnBlank(accept=tuple(accept), feedback=code(said))
    item = Item(
        "q", "q", "fill", 1.0, "a [[1]] b {x} ~ # [[2]]", "So.", (), Blanks((blank, blank), partial=True)
    )
    question = moodle.read(f"<quiz>{moodle_question(item, Losses())}</quiz>".encode())["q"]
    for text in accept:
        assert question.mark(Try("blanks", (text, text)))[0] == 1
    earned, feedback = question.mark(Try("blanks", ("another thing", accept[0])))
    assert earned == 0.5
    assert seen(feedback) == flat(said)


@given(st.text(), st.text())
def test_xml_gives_every_text_back(attribute: str, text: str) -> None:
    made = tag("a", {"b": attribute}, text)
    node = etree.fromstring(made.encode())
    assert (node.text or "") == clean(text).replace("\r\n", "\n").replace("\r", "\n")
    assert node.get("b").split() == clean(attribute).split()


@settings(deadline=None)
@given(st.text(max_size=80))
def test_html_is_well_formed_and_holds_no_markup_of_the_text(text: str) -> None:
    made = as_html(text, as_tex)
    root = etree.fromstring(f"<div>{made}</div>".encode())
    assert not list(root.iter("script", "style", "img", "iframe"))


def test_a_text_with_every_sign_survives_every_format(small: Bank) -> None:
    made = plan(small)
    question = moodle.read(written("moodle-xml", made)[0])["q-fill"]
    assert question.mark(Try("blanks", ("{x}~y#z", "50% = \\half*")))[0] == 1
    assert question.mark(Try("blanks", ("{x}~y#z", "50% = \\halfway")))[0] == 0.5
    item = qti21.read(written("qti21", made)[0])["q-fill"]
    assert item.mark(Try("blanks", ("{x}~y#z", "50% = \\half*")))[0] == 1
    assert item.mark(Try("blanks", ("{x}~y#z", "no")))[0] == 0  # all or nothing, as the bank says
    parts = gift.read(written("gift", made)[0])
    assert parts["q-fill-b1"].mark(Try("text", "{x}~y#z"))[0] == 1
    assert parts["q-fill-b2"].mark(Try("text", "50% = \\half*"))[0] == 1
    assert (
        canvas.read(written("canvas-qti", made)[0])["q-fill"].mark(Try("blanks", ("{x}~y#z", "half")))[0] == 1
    )


def test_shapes_are_taken_in_the_ways_people_write_them() -> None:
    found = shape_wordings(("B", "h * d_k", "T ** 2"))
    for text in ("(B, h * d_k, T ** 2)", "(B,h*d_k,T ** 2)", "[B, h·d_k, T ** 2]", "B, h d_k, T ** 2"):
        assert text in found
    assert "(4,)" in shape_wordings(("4",))
    assert all("* *" not in text for text in found)


# --- what a format cannot say -------------------------------------------------------------------


def test_every_loss_is_one_line_that_names_its_questions(small: Bank) -> None:
    made = plan(small)
    lines = {name: written(name, made)[1] for name in NAMES}
    assert lines["markdown"] == lines["csv"] == []

    def said(name: str, words: str, question: str) -> bool:
        return any(words in line and question in line for line in lines[name])

    for name in ("moodle-xml", "gift", "canvas-qti"):
        assert said(name, "all or nothing", "q-none")
        assert said(name, "all or nothing", "q-match")
    assert not any("all or nothing" in line for line in lines["qti21"])
    for name in ("moodle-xml", "gift", "canvas-qti", "qti21", "jupyterquiz"):
        assert said(name, "without an end as a decimal", "q-third")
    for name in ("gift", "canvas-qti", "jupyterquiz", "qti21"):
        assert said(name, "units", "q-unit")
    assert said("moodle-xml", "more than 10 right options", "q-many")
    assert said("gift", "left out", "q-arrow")
    assert "q-arrow" not in gift.read(written("gift", made)[0])
    assert said("gift", "points", "q-none")
    assert said("moodle-xml", "as text", "q-match")
    for listed in lines.values():
        assert all(re.match(r"\d+ questions?: .+ \(.+\)$", line) for line in listed)
        assert all("\n" not in line for line in listed)


def test_a_third_is_right_to_a_millionth_and_a_unit_is_moodles(small: Bank) -> None:
    made = plan(small)
    for reader, name in (
        (moodle.read, "moodle-xml"),
        (gift.read, "gift"),
        (canvas.read, "canvas-qti"),
        (qti21.read, "qti21"),
    ):
        question = reader(written(name, made)[0])["q-third"]
        assert question.mark(Try("number", "0.3333333"))[0] == 1
        assert question.mark(Try("number", "0.3333"))[0] == 0
        unit = reader(written(name, made)[0])["q-unit"]
        assert [unit.mark(Try("number", text))[0] for text in ("2.5", "2.75", "2.25", "2.76", "2.2")] == [
            1,
            1,
            1,
            0,
            0,
        ]
    node = moodle.read(written("moodle-xml", made)[0])["q-unit"].node
    assert [unit.text for unit in node.iter("unit_name")] == ["m", "metres"]


# --- the command --------------------------------------------------------------------------------


def run(*words: str) -> Any:
    return CliRunner().invoke(app, ["export", *words], catch_exceptions=True)


@pytest.mark.parametrize("name", NAMES)
def test_the_command_writes_every_format(name: str, tmp_path: Path) -> None:
    out = tmp_path / "quiz.out"
    done = run("--to", name, "--out", str(out), "--bank", str(ROOT / "quizzes/multi_head_attention.yaml"))
    assert done.exit_code == 0, done.output
    assert "10 questions" in done.output
    assert out.stat().st_size > 1000
    assert [path.name for path in tmp_path.iterdir()] == ["quiz.out"]


def test_the_names_offered_are_the_formats_there_are() -> None:
    assert tuple(FORMATS) == NAMES


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--to", "word"), "no format"),
        (("--to", "gift", "--without-key"), "needs the key"),
        (("--to", "gift", "--questions", "kc-99"), "no question"),
        (("--to", "gift", "--questions", " , "), "at least one id"),
        (("--to", "gift", "--questions", "kc-01", "--all"), "give one of them"),
        (("--to", "gift", "--bank", "nowhere.yaml"), "cannot be read"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(
    words: tuple[str, ...], problem: str, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    bank = () if "--bank" in words else ("--bank", str(ROOT / "quizzes/multi_head_attention.yaml"))
    done = run(*words, *bank, "--out", str(out))
    assert isinstance(done.exception, InputError)
    assert problem in str(done.exception)
    assert "\n" not in str(done.exception)
    assert not out.exists()


def test_jupyterquiz_is_a_list_of_entries_with_what_its_loader_needs() -> None:
    for entry in json.loads(written("jupyterquiz", whole(1))[0]):
        assert entry["type"] in ("multiple_choice", "many_choice", "numeric", "string")
        assert entry["question"]
        assert entry["answers"]
        assert "$" not in re.sub(r"&#36;", "", json.dumps(entry))
