from __future__ import annotations

import ast
import dataclasses
import html
import re
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import html as lxml_html
from typer.testing import CliRunner

from grader.core.errors import InputError
from grader.quiz.bank.bank import Bank, read_bank
from grader.quiz.commands.app import app
from grader.quiz.export.formats import FORMATS
from grader.quiz.export.items import Blanks, Essay, Item, Match, Order, items
from grader.quiz.export.markup import as_mathml, as_tex, plain
from grader.quiz.export.markup import html as as_html
from grader.quiz.export.plan import Losses, plan
from grader.quiz.expressions.templates import check_maths
from grader.quiz.importing.from_html import Prose
from grader.quiz.importing.moodle_file import parse_xml
from grader.quiz.marking.marking import Marking
from grader.quiz.shown.prose import plain_line
from tests.quiz.platforms.tries import ROOT, drawn_items, expected, tries, whole


def taken(data: str | bytes, folder: Path, name: str = "file", *more: str) -> tuple[Bank, str]:
    """The bank made of a file, read back and checked, and what was said."""
    source, out = folder / name, folder / "bank.yaml"
    source.write_bytes(data if isinstance(data, bytes) else data.encode())
    done = CliRunner().invoke(app, ["import", str(source), "--out", str(out), *more])
    if done.exception is not None:
        raise done.exception
    return read_bank(out), done.output


def one(data: str, folder: Path) -> tuple[Any, str]:
    bank, said = taken(data, folder)
    assert len(bank.questions) == 1, said
    return bank.questions[0], said


# --- our own files come back --------------------------------------------------------------------


def shown(thing: Any) -> Any:
    """What a learner sees and what counts, whatever Markdown says it."""
    if isinstance(thing, str):
        return as_html(thing, as_tex)
    if isinstance(thing, tuple | list):
        return [shown(part) for part in thing]
    if isinstance(thing, dict):
        return {key: shown(part) for key, part in sorted(thing.items())}
    if dataclasses.is_dataclass(thing):
        kept = [
            field.name
            for field in dataclasses.fields(thing)
            if field.name not in ("also", "shuffle", "rubric", "lost")
        ]
        return {name: shown(getattr(thing, name)) for name in kept}
    return thing


def compared(item: Item) -> dict[str, Any]:
    made = shown(item) | {"id": "", "name": ""}
    if isinstance(item.form, Order):
        made["form"]["parts"] = [
            shown(part.text) for part in sorted(item.form.parts, key=lambda part: part.place)
        ]
    if isinstance(item.form, Match):  # rights are a menu's plain texts there
        made["form"]["rights"] = [
            plain(part.text) for part in sorted(item.form.rights, key=lambda part: part.place)
        ]
    return made


@cache
def came_back(name: str, folder: str) -> Bank:
    data = FORMATS[name].write(whole(2), Losses())
    return taken(data, Path(folder), "questions", "--lesson", "multi_head_attention")[0]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("back"))


@pytest.mark.parametrize("name", ["moodle-xml", "gift"])
def test_every_kind_comes_back_as_it_went(name: str, folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    back = {item.name: item for group in plan(came_back(name, folder), None).groups for item in items(group)}
    kinds: Counter[str] = Counter()
    for _, item in drawn_items(whole(2)):
        if name == "gift" and isinstance(item.form, Blanks) and len(item.form.blanks) > 1:
            assert [f"{item.name}-b{number}" in back for number in (1, 2)] == [True, True]
            continue
        assert compared(back[item.name]) == compared(item)
        kinds[item.kind] += 1
    assert len(kinds) == (9 if name == "moodle-xml" else 8)


def test_what_came_back_marks_as_before(folder: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    bank = came_back("moodle-xml", folder)
    marking = Marking(bank.model_copy(update={"notation": whole_notation()}))
    back = {drawn.id: drawn for group in plan(bank, None).groups for drawn in group.drawn}
    checked = 0
    for drawn, item in drawn_items(whole(2)):
        if isinstance(item.form, Essay | Order | Match):
            continue  # essays get a new rubric, the others are shuffled anew: compared above
        for sheet, _ in tries(item):
            share = expected(drawn, sheet)
            verdict = marking.mark(back[item.name], sheet)
            if share is not None and verdict.outcome != "needs_review":
                assert verdict.share == pytest.approx(share), (item.name, sheet)
                checked += 1
    assert checked > 400


def whole_notation() -> Any:
    return read_bank(ROOT / "quizzes" / "multi_head_attention.yaml").notation


@pytest.mark.parametrize("name", ["canvas-qti", "qti21"])
def test_a_qti_package_is_called_one(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="it is a QTI package; export the questions as Moodle XML or GIFT"):
        taken(FORMATS[name].write(whole(1), Losses()), tmp_path)


MORE = """\
version: 1
quiz: more
title: More
lesson: more
check: [many]
questions:
  - {id: many, kind: multiple_choice, select: many, step: cross, prompt: Which?, options: [{text: one, correct: true,
     also: [1]}, {text: two, correct: true}, {text: three}]}
  - {id: pair, kind: matching, prompt: Which?, pairs: [{left: a, right: x}, {left: b, right: y}]}
  - {id: fill, kind: fill, prompt: "[[1]] and [[2]]", blanks: [{accept: [x]}, {accept: [y]}]}
  - {id: sort, kind: ordering, prompt: Sort., items: [one, two, three]}
  - {id: sign, kind: true_false, prompt: It holds., answer: true, signs: {holds: [so]}}
  - {id: draw, kind: numeric, prompt: "Say {{ n }}.", given: {n: [1, 2, 3]}, answer: n}
"""


@pytest.mark.parametrize("name", ["moodle-xml", "gift"])
def test_what_a_file_cannot_hold_is_said_when_it_goes_and_when_it_comes(name: str, tmp_path: Path) -> None:
    bank = tmp_path / "more.yaml"
    common = "objective: all, difficulty: easy, explanation: So.,"
    bank.write_text(MORE.replace("also: [1]", "also: ['1']").replace("prompt:", f"{common} prompt:"))
    file = tmp_path / "file"
    words = ["export", "--bank", str(bank), "--all", "--variants", "2", "--to", name, "--out", str(file)]
    went = CliRunner().invoke(app, words)
    assert went.exception is None, went.exception
    back, came = taken(file.read_bytes(), tmp_path)
    made = {question.id: question for question in back.questions}
    assert made["many"].step == "cross"
    for said in (went.output, came):
        assert "signs: an explanation that contradicts its true or false is not seen there (sign)" in said
        assert "further wordings of an option: left out (many)" in said
        assert "drawn numbers: each draw is a question of its own, its numbers fixed (draw" in said
    assert "(draw-v1, draw-v2)" in came
    whole_ones = ["many", "pair", "sort", *(["fill"] if name == "moodle-xml" else [])]
    assert [made[one].partial for one in whole_ones] == ["none"] * len(whole_ones)
    assert ("several blanks: each is a question of its own (fill-b1, fill-b2)" in came) == (name == "gift")


# --- what others write --------------------------------------------------------------------------


def moodle(inside: str) -> str:
    return f'<?xml version="1.0" encoding="UTF-8"?>\n<quiz>{inside}</quiz>'


def question(kind: str, own: str, text: str = "Which?", extra: str = "") -> str:
    return moodle(
        f'<question type="{kind}"><name><text>Q 1</text></name><questiontext format="html">'
        f"<text><![CDATA[{text}]]></text></questiontext><generalfeedback><text>Because.</text></generalfeedback><defaultgrade>2.0000000</defaultgrade>"
        f"{extra}{own}</question>"
    )


def answer(fraction: str, text: str, feedback: str = "", more: str = "") -> str:
    return (
        f'<answer fraction="{fraction}"><text>{html.escape(text)}</text><feedback><text>{feedback}</text></feedback>'
        f"{more}</answer>"
    )


def test_a_moodle_choice_with_shares_that_the_bank_has_not(tmp_path: Path) -> None:
    own = (
        "<single>true</single>" + answer("100", "yes", "Good") + answer("50", "partly") + answer("-25", "no")
    )
    made, said = one(question("multichoice", own), tmp_path)
    assert [(option.text, option.correct) for option in made.options] == [
        ("yes", "True"),
        ("partly", "False"),
        ("no", "False"),
    ]
    assert made.points == 2
    assert made.explanation == "Because."
    assert made.options[0].feedback == "Good"
    assert "earned a part" in said
    assert "Q 1" in said


def test_a_moodle_choice_of_several(tmp_path: Path) -> None:
    thirds = "".join(answer("33.33333", text) for text in "xyz") + answer("-33.33333", "w")
    made, said = one(question("multichoice", f"<single>false</single>{thirds}"), tmp_path)
    assert (made.select, made.partial) == ("many", "each")
    assert "shares" not in said
    all_of_it = thirds.replace("-33.33333", "-100")
    made, said = one(question("multichoice", f"<single>false</single>{all_of_it}"), tmp_path)
    assert made.partial == "each"  # two of three and no wrong one earn two thirds, as there
    assert "a wrong option took all; here it takes what a right one earns (Q 1)" in said
    halves = "<single>false</single>" + "".join(answer("50", text) for text in "xyz") + answer("-50", "w")
    assert "shares" in one(question("multichoice", halves), tmp_path)[1]
    uneven = "<single>false</single>" + answer("70", "x") + answer("30", "y") + answer("0", "w")
    assert "shares" in one(question("multichoice", uneven), tmp_path)[1]


def test_a_moodle_number_with_units_and_a_word_for_wrong_ones(tmp_path: Path) -> None:
    own = (
        answer("100", "2.5", "Fine", "<tolerance>0.1</tolerance>") + answer("0", "25", "Ten times too much")
        + answer("0", "*", "No") + "<units><unit><multiplier>1</multiplier><unit_name>m</unit_name></unit>"
        "<unit><multiplier>100</multiplier><unit_name>cm</unit_name></unit></units>"
    )  # fmt: skip
    made, said = one(question("numerical", own), tmp_path)
    assert (made.answer, made.tolerance.absolute, made.unit) == ("2.5", 0.1, "m")
    assert [(trap.answer, trap.feedback) for trap in made.traps] == [("25", "Ten times too much")]
    assert "another factor" in said
    assert "word for wrong numbers" in said


def test_a_moodle_short_answer_is_a_blank_where_its_line_is(tmp_path: Path) -> None:
    own = "<usecase>1</usecase>" + answer("100", "Paris") + answer("100", "Par*s") + answer("50", "Lutetia")
    own += answer("0", "*", "Not that one")
    made, said = one(question("shortanswer", own, "<p>The capital is _____.</p>"), tmp_path)
    assert made.kind == "fill"
    assert made.prompt == "The capital is [[1]]."
    assert made.blanks[0].accept == ("Paris",)
    assert made.blanks[0].feedback == "Not that one"
    for words in ("`*` for any text", "earned a part", "capitals"):
        assert words in said
    assert one(question("shortanswer", answer("100", "Paris")), tmp_path)[0].prompt == "Which?\n\n[[1]]"


def test_every_loss_names_every_question(tmp_path: Path) -> None:
    own = answer("100", "true") + answer("-50", "false") + (
        "<correctfeedback><text>Your answer is correct.</text></correctfeedback>"
        "<incorrectfeedback><text>Read again.</text></incorrectfeedback>"
    )  # fmt: skip
    names = [f"Q {number}" for number in range(1, 10)]
    one_of_them = question("truefalse", own).split("<quiz>")[1].split("</quiz>")[0]
    _, said = taken(moodle("".join(one_of_them.replace("Q 1", name) for name in names)), tmp_path)
    listed = f"({', '.join(names)})"
    assert f"shares: an answer that earned a part, or cost some, earns nothing here {listed}" in said
    assert f"what is said to any right, partly right or wrong answer: left out {listed}" in said
    weights = question("cloze", "", "A {1:SA:=a} and {2:SA:=b}")
    assert "weights of blanks: each counts the same here" in one(weights, tmp_path)[1]


@pytest.mark.parametrize(
    ("there", "here"),
    [
        ("10<sup>6</sup>", "10^6"), ("W<sub>O</sub><sup>T</sup>", "W_O^T"), ("<em>d</em><sub>k</sub>", "d_k"),
        ("d<sub>model</sub>", "d_model"), ("(x+1)<sup>2</sup>", "(x+1)^2"), ("x<sup>-1</sup>", "x^(−1)"),
        ("e<sup>x<sup>2</sup></sup>", "e^x^2"), ("3.5<sup>2</sup>", "3.5^2"), ("h<sup>d_k</sup>", "h^(d_k)"),
        ("a<sup>2</sup>b<sup>2</sup>", "a^2 b^2"), (r"\(10\)<sup>6</sup>", "10^6"), ("x<sup></sup>y", "xy"),
        ("<code>10<sup>6</sup></code>", "`10^6`"), ("<sup><a href='#n'>[1]</a></sup>", "^([1])"),
        ("head<sub>i</sub>", "head_i"), ("a<sup>{{x}}</sup>", "a^({ {x}})"), ("5$<sup>2</sup>", "5$^2"),
        ("<b>W<sup>O</sup></b>", "W^O"), ("10 <sup>6</sup>", "10 ^6"), ("<u>not</u>", "not"),
    ],
)  # fmt: skip
def test_powers_and_indices_stay_what_they_are(there: str, here: str) -> None:
    markdown = Prose(f"<p>{there}</p>").markdown
    assert plain_line(markdown) == here
    check_maths(markdown)
    as_html(markdown, as_mathml)


def test_a_moodle_cloze_as_people_write_it(tmp_path: Path) -> None:
    text = "<p>A {1:SHORTANSWER:=cat~%100%kitten~*#Miaow} and a {:MW:=dog~=hound} \\(d_{k}\\)</p>"
    made, said = one(question("cloze", "", text), tmp_path)
    assert made.prompt == "A [[1]] and a [[2]] $d_{k}$"
    assert [blank.accept for blank in made.blanks] == [("cat", "kitten"), ("dog", "hound")]
    assert made.blanks[0].feedback == "Miaow"
    assert made.partial == "each"
    assert said.count("\n") == 2  # no objective is said
    with pytest.raises(InputError, match="cloze field MULTICHOICE"):
        taken(question("cloze", "", "{1:MULTICHOICE:=a~b}"), tmp_path)


def test_what_no_bank_holds_is_listed_and_the_rest_is_kept(tmp_path: Path) -> None:
    good = (
        question("truefalse", answer("100", "true") + answer("0", "false", "No"))
        .split("<quiz>")[1]
        .split("</quiz>")[0]
    )
    calculated = '<question type="calculated"><name><text>Sum</text></name></question>'
    broken = calculated.replace("calculated", "numerical").replace("Sum", "Odd").replace("</question>", "")
    broken += '<answer fraction="100"><text>many</text></answer></question>'
    media = good.replace("Which?", "<img src='@@PLUGINFILE@@/a.png'/>Which?").replace("Q 1", "Seen")
    hinted = good.replace("Q 1", "Hinted").replace(
        "<defaultgrade>", "<hint><text>Think</text></hint><defaultgrade>"
    )
    bank, said = taken(moodle(good + calculated + broken + media + hinted), tmp_path)
    assert [made.id for made in bank.questions] == ["q-1", "seen", "hinted"]
    assert "no kind like Moodle's calculated (Sum)" in said
    assert "'many' is no number (Odd)" in said
    assert "pictures and other media: left out (Seen)" in said
    assert "hints: left out (Hinted)" in said
    assert "3 questions from" in said


GIFT = r"""
// [id:capital] [tag:objective:places] [tag:difficulty:hard] [tag:big-city]
::Q1:: The capital of France is {=Paris ~%50%Lyon#Close ~Nice####On the Seine.} today.

::Q2:: Two plus two {=four =4}

Grant is buried in a tomb.{T#No, really#Yes}

::pi::What is pi? {#3.14:0.01}

::range:: Between {#
  =1..5#in
  =%0%7:0#seven
  ~#otherwise
####General}

::match:: Which? {
  =x \= y -> one
  =\{z\} -> two
  = -> three
}

::many::[html]<b>Two</b> of{ ~%50%red ~%50%blue ~%-50%green }

::letters::Which? {=b ~a}

::essay:: Write. {}

Only a text that asks nothing.

::odd:: A brace { without

$CATEGORY: elsewhere
"""


def test_gift_as_its_manual_writes_it(tmp_path: Path) -> None:
    bank, said = taken(GIFT, tmp_path)
    made = {entry.id: entry for entry in bank.questions}
    assert list(made) == ["capital", "q2", "question-3", "pi", "range", "match", "many", "essay"]
    capital = made["capital"]
    assert (capital.objective, capital.difficulty, capital.tags) == ("places", "hard", ("big-city",))
    assert capital.prompt == r"The capital of France is \_\_\_\_\_ today."
    assert [(option.text, option.correct) for option in capital.options][:2] == [
        ("Paris", "True"),
        ("Lyon", "False"),
    ]
    assert capital.explanation == "On the Seine."
    assert made["q2"].blanks[0].accept == ("four", "4")
    assert made["question-3"].answer == "True"
    assert made["question-3"].feedback == {True: "Yes", False: "No, really"}
    assert (made["pi"].answer, made["pi"].tolerance.absolute) == ("3.14", 0.01)
    assert (made["range"].answer, made["range"].tolerance.absolute) == ("3", 2)
    assert [trap.answer for trap in made["range"].traps] == ["7"]
    assert [(pair.left, pair.right) for pair in made["match"].pairs] == [("x = y", "one"), ("{z}", "two")]
    assert made["match"].distractors == ("three",)
    assert (made["many"].select, made["many"].partial, made["many"].prompt) == ("many", "each", "**Two** of")
    assert made["essay"].rubric.otherwise == "needs_review"
    assert "a brace without its partner (odd)" in said
    assert "looks like the letter of one; say more (letters)" in said
    assert "essay" in said


def test_two_right_options_of_one_are_refused_by_name(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="one option has to be correct, 2 are"):
        taken("::two::Which? {=a =b ~c}", tmp_path)


def test_texts_that_yaml_or_a_template_would_misread_stay_texts(tmp_path: Path) -> None:
    own = "<single>true</single>" + "".join(
        answer("100" if text == "no" else "0", text) for text in ("no", "on", "12:30", "1_000")
    )
    made, _ = one(
        question("multichoice", own, "<p>{{ open('x') }} costs $5 and \\(\\frac{{a}}{b}\\)</p>"), tmp_path
    )
    assert [option.text for option in made.options] == ["no", "on", "12:30", "1_000"]
    assert made.prompt == r"{ { open('x') }} costs \$5 and $\frac{ {a}}{b}$"


def test_objectives_of_a_lesson_that_has_others_are_asked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    with pytest.raises(InputError, match="has no objective 'imported'"):
        taken("Yes {T}", tmp_path, "file", "--lesson", "multi_head_attention")
    bank, _ = taken("Yes {T}", tmp_path, "file", "--lesson", "multi_head_attention", "--objective", "join")
    assert bank.questions[0].objective == "join"
    with pytest.raises(InputError, match="no lesson"):
        taken("Yes {T}", tmp_path, "file", "--lesson", "nowhere")


# --- numbers without bound ------------------------------------------------------------------------

HUGE = ("1e99999999", "1e-99999999", "9" * 100_000, "1/1e99999999")
PLACES = [
    "::a::How many? {{#{n}:1}}", "::a::How many? {{#1:{n}}}", "::a::How many? {{#1..{n}}}", "::a::How many? {{#{n}..1}}",
    "::a::How many? {{#=%{n}%1:0}}", "::a::Which? {{~%{n}%b ~%50%c}}", "::a::Which? {{=%{n}%b =c}}",
    "// [tag:points:{n}]\n::a::Which? {{#1}}",
    "// [tag:kind:ordering]\n::a::Which? {{=b -> 1 =c -> {n} =d -> 3}}",
    "// [tag:kind:code_reading]\n::a::Which? \n```\nx\n``` {{#{n}}}",
    *(
        question(kind, own.replace("NUMBER", "{n}")).replace("2.0000000", points)
        for kind, own, points in (
            ("multichoice", answer("NUMBER", "b") + answer("0", "c"), "1"),
            ("numerical", answer("100", "NUMBER"), "1"),
            ("numerical", answer("NUMBER", "1"), "1"),
            ("numerical", answer("100", "1", "", "<tolerance>NUMBER</tolerance>"), "1"),
            ("truefalse", answer("100", "true"), "{n}"),
        )
    ),
    question("cloze", "", "<p>A {{{n}:SA:=a}}</p>"),
    question("cloze", "", "<p>A {{1:SA:%{n}%a~=b}}</p>"),
    question("truefalse", answer("100", "true"), "<ol start=\"{n}\"><li>a</li></ol>"),
    question("truefalse", answer("100", "true"), "<table><tr><td colspan=\"{n}\">a</td></tr></table><h{n}>b</h{n}>"),
]  # fmt: skip


def test_no_number_in_a_file_keeps_the_import_from_ending(tmp_path: Path) -> None:
    """In another process: what builds such a number cannot be interrupted here."""
    for place, text in enumerate(PLACES):
        for number, huge in enumerate(HUGE):
            (tmp_path / f"{place}-{number}").write_text(text.format(n=huge))
    program = (
        "import sys\nfrom pathlib import Path\nfrom typer.testing import CliRunner\n"
        "from grader.core.errors import InputError\n"
        "from grader.quiz.commands.app import app\n"
        "for file in sorted(Path(sys.argv[1]).iterdir()):\n"
        "    done = CliRunner().invoke(app, ['import', str(file), '--out', sys.argv[2]])\n"
        "    assert done.exception is None or isinstance(done.exception, InputError), (file, done.exception)\n"
    )
    words = [sys.executable, "-c", program, str(tmp_path), str(tmp_path.parent / "bank.yaml")]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr


def test_what_is_read_from_files_becomes_a_number_in_one_place() -> None:
    """Where questions are taken over, a text goes through `written`; nothing else there makes a number of one."""
    known = ("1 if sign == '=' else 0", "sum(right) or 1", "right[0].slack")
    for path in sorted((ROOT / "grader" / "quiz" / "importing").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in {
                "Fraction",
                "Decimal",
                "float",
                "int",
            }:
                given = ", ".join(map(ast.unparse, node.args))
                for words in known:
                    given = given.replace(words, "")
                assert given.startswith("written(") or re.fullmatch(r"[\d *,-]*", given), (
                    f"{path.name}: {given}"
                )


@pytest.mark.parametrize(
    "text", [r"\(", r"\[", "$$ ", "{1:SA:", "[tag:", "<sup>", "x<sup>2</sup>", "_", "&", "`"]
)
def test_beginnings_without_an_end_take_no_time(text: str, tmp_path: Path) -> None:
    start = time.process_time()
    for made in (
        f"::a::{text * 20_000} {{T}}",
        f"// {text * 20_000}\n::a::b {{T}}",
        question("cloze", "", text * 20_000),
    ):
        with suppress(InputError):
            taken(made, tmp_path)
    assert time.process_time() - start < 10


# --- bad files ----------------------------------------------------------------------------------

BOMB = """<?xml version="1.0"?><!DOCTYPE quiz [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY c "&b;&b;&b;&b;&b;&b;&b;&b;">]><quiz><question type="essay"><name><text>&c;</text></name></question></quiz>"""
OUTSIDE = '<?xml version="1.0"?><!DOCTYPE quiz [<!ENTITY x SYSTEM "file:///etc/passwd">]><quiz>&x;</quiz>'


@pytest.mark.parametrize(
    ("data", "problem"),
    [
        (BOMB, "document type"),
        (OUTSIDE, "document type"),
        ('<?xml version="1.0"?><!DOCTYPE quiz SYSTEM "http://127.0.0.1:9/x.dtd"><quiz/>', "document type"),
        ('<?xml version="1.0"?><quiz><question>', "no XML"),
        ('<?xml version="1.0"?><html/>', "not <quiz>"),
        ('<?xml version="1.0" encoding="klingon"?><quiz/>', "no XML|encoding"),
        ('<?xml version="1.0"?>' + "<quiz>" * 100 + "</quiz>" * 100, "deep"),
        ('<?xml version="1.0"?><quiz></quiz>', "no question"),
        ("::a::Which? {=\xff}".encode("latin-1"), "not UTF-8"),
        ("", "no question"),
        ("Nothing is asked here.", "no question"),
        ('<?xml version="1.0"?><questestinterop/>', "it is QTI; export the questions as Moodle XML or GIFT"),
        ('<assessmentItem xmlns="http://www.imsglobal.org/xsd/imsqti_v2p1"/>', "it is QTI"),
        (b"PK\x03\x04...", r"it is an archive \(zip\); export the questions"),
        (b"%PDF-1.7\n\xe2\xe3", r"not UTF-8 text \(byte 9\); give GIFT or Moodle XML"),
    ],
)
def test_bad_files_are_one_line(data: str | bytes, problem: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=problem) as raised:
        taken(data, tmp_path)
    assert "\n" not in str(raised.value)
    assert not (tmp_path / "bank.yaml").exists()


def test_too_many_elements_and_too_large_a_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="500,000 elements"):
        parse_xml(b"<quiz>" + b"<a/>" * 500_001 + b"</quiz>")
    with pytest.raises(InputError, match="larger than"):
        taken(b"x" * (16 * 2**20 + 1), tmp_path)
    with pytest.raises(InputError, match="cannot be read"):
        CliRunner().invoke(
            app, ["import", str(tmp_path / "none"), "--out", str(tmp_path / "b")], catch_exceptions=False
        )


@pytest.mark.parametrize("depth", [1_000, 100_000])
def test_html_that_is_far_too_deep_is_read_as_its_text(depth: int, tmp_path: Path) -> None:
    made, _ = one(
        question("truefalse", answer("100", "true") + answer("0", "false"), "<b>" * depth + "deep"),
        tmp_path,
    )
    assert made.prompt == "deep"


# --- HTML as Markdown ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("markup", "markdown"),
    [
        ("<p>One</p><p>Two</p>", "One\n\nTwo"),
        ("a<br/>b", "a\\\nb"),
        ("<em>a</em> <strong>b</strong> <code>x_y*z</code>", "*a* **b** `x_y*z`"),
        ("<ul><li>one</li><li>two</li></ul>", "- one\n- two"),
        ("<ol><li>one</li><li>two</li></ol>", "1. one\n2. two"),
        ('<pre><code class="language-python">x = "```"\n</code></pre>', '````python\nx = "```"\n````'),
        (r"\(d_k\) and \[x_1 * y\] and $$z$$", "$d_k$ and $x_1 * y$ and $z$"),
        ("5 * 4 and d_model and _x_ [a](b)", r"5 \* 4 and d_model and \_x\_ \[a\](b)"),
        ("1 < 2 &amp;amp; $3", r"1 \< 2 \&amp; \$3"),
        ("# no heading\n- no list\n1. none", "\\# no heading\n\\- no list\n1\\. none"),
        ("<script>alert(1)</script>ok<img src=x>", "ok"),
    ],
)  # fmt: skip
def test_html_becomes_markdown(markup: str, markdown: str) -> None:
    assert Prose(markup).markdown == markdown


@settings(deadline=None)
@given(st.text(st.sampled_from("*_`#>-+=~|[]()!<&;\\.1)ab é\n{}$%"), max_size=40))
def test_a_platforms_text_is_shown_as_it_was(text: str) -> None:
    text = text.replace("$$", "$")  # maths there
    there = re.sub(r"\s+", " ", text).strip()
    markdown = Prose(f"<p>{html.escape(text)}</p>").markdown
    made = lxml_html.fragment_fromstring(f"<div>{as_html(markdown, as_tex)}</div>")
    here = re.sub(r"\s+", " ", made.text_content()).strip()
    assert here.replace("{ {", "{{").replace("{ {", "{{") == there.replace("{ {", "{{").replace("{ {", "{{")
    assert {node.tag for node in made.iter()} <= {"div", "p", "br"}
