from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from grader.core.errors import InputError, MachineError
from grader.judging.compare import difference, same_value
from grader.judging.diagnosis.suspect import Answers
from grader.judging.sealed import file as module
from grader.judging.sealed.file import MAGIC, SIZE, Sealed, laid_open, read_sealed, seal_lesson
from grader.judging.sealed.sealing import plain_probe, plain_value, read_plain_value, read_probe
from grader.lesson.answers import Answer, FigureValue, Line, OtherValue, SequenceValue, TensorValue, Value
from grader.lesson.fingerprint import seal
from grader.lesson.probes import Draw, Probe
from grader.lesson.reference import Mistake
from grader.worker.wire import LENGTHS, Blob, pack, unpack
from tests.tools.answers import probe, raising, returned, tensor

ROOT = Path(__file__).resolve().parents[2]
SECRET = "return torch.softmax(scores / math.sqrt(d_k), dim=-1)"
LINE = Line("add.py", 7, "add", SECRET)
DRAW = Draw(5, "seal")
RICH = probe(
    "add/rich",
    tags=frozenset({"values", "mask"}),
    tensors={
        "x": DRAW.normal(3, 4),
        "large": DRAW.normal(3) * 1000,
        "fine": np.array([0.1, 0.2]),
        "asked": np.array([0, 2]),
        "mask": DRAW.keep(2, 3),
        "none": np.zeros((0, 2)),
    },
    grads=frozenset({"x"}),
    strided=frozenset({"x"}),
    tolerance=0.25,
    why="rounded by hand",
    again=True,
    core=False,
    of_dtype=True,
    heavy=True,
)
REFUSE, COUNT = probe("add/refuse", report=("y",)), probe("add/count", count=True)
RIGHT, WRONG = tensor(np.arange(12.0).reshape(3, 4)), tensor(np.arange(12.0).reshape(4, 3))
NAMES = ("turned", "crashes")
CATALOGUE = tuple(
    Mistake(id=name, home="add", title=name, message=f"It {name}.", hint=("h",)) for name in NAMES
)


def ask(step: str, probes: Sequence[Probe], sets: Mapping[str, Sequence[str]]) -> Mapping[str, Answers]:
    turned = {RICH.id: returned(RICH, ["x"], y=WRONG), REFUSE.id: returned(REFUSE, y=RIGHT)}
    crashes = {
        RICH.id: raising(RICH, "IndexError", "LookupError", message="3", line=LINE),
        REFUSE.id: Answer("x", "unfit", message="m"),
    }
    given = {"turned": turned, "crashes": crashes}
    assert step == "add"
    assert COUNT not in probes
    return {key: {asked.id: given[ids[0]][asked.id] for asked in probes} for key, ids in sets.items()}


def sealed_bytes() -> bytes:
    want: dict[str, dict[str, Any]] = {RICH.id: {"y": RIGHT}, REFUSE.id: {}}
    probes = (RICH, REFUSE, COUNT)
    return seal_lesson("tiny", 5, probes, want=want, mistakes=CATALOGUE, homes={"add": ("add",)}, ask=ask)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "sealed.bin"
    path.write_bytes(sealed_bytes())
    return path


def plain(part: bytes) -> Any:
    head, _ = LENGTHS.unpack(part[: LENGTHS.size])
    return unpack(part[LENGTHS.size : LENGTHS.size + head], part[LENGTHS.size + head :], 10_000)


def file_of(first: bytes, *parts: bytes) -> bytes:
    return MAGIC + SIZE.pack(len(first)) + first + b"".join(parts)


def packed(content: Any) -> bytes:
    return zlib.compress(pack(content, 10_000))


def remade(change: Any) -> bytes:
    """A file of other content, written as if it were meant so: `change` is given the first part and the columns."""
    first, *columns = map(plain, laid_open(sealed_bytes()))
    change(first, columns)
    parts = [packed(column) for column in columns]
    if isinstance(first["steps"], dict) and first["steps"]:
        for facts, part in zip(first["steps"]["add"]["columns"], parts, strict=False):
            facts.update(size=len(part), crc=zlib.crc32(part))
    return file_of(packed(first), *parts)


def resized(change: Any) -> bytes:
    """A file whose list of columns is another, above the same columns."""
    first, *columns = map(plain, laid_open(sealed_bytes()))
    change(first["steps"]["add"]["columns"])
    return file_of(packed(first), *(packed(column) for column in columns))


def numbers(*values: int) -> Blob:
    return Blob("int32", (len(values),), np.array(values, dtype=np.int32).tobytes())


# --- round trips --------------------------------------------------------------------------------


def test_a_probe_comes_back_as_it_went() -> None:
    told = unpack(*_frame({"probe": plain_probe(RICH)}))["probe"]
    back = read_probe(told)  # type: ignore[arg-type]
    assert back.letter() == RICH.letter()
    for name in (
        "tags",
        "say",
        "axes",
        "sizes",
        "tolerance",
        "why",
        "again",
        "diagnose",
        "core",
        "of_dtype",
        "heavy",
        "report",
    ):
        assert getattr(back, name) == getattr(RICH, name), name
    for name, array in RICH.tensors.items():
        assert back.tensors[name].dtype == array.dtype, name
        assert np.array_equal(back.tensors[name], array), name


def test_inputs_on_the_grid_take_two_bytes_a_number() -> None:
    told: Any = plain_probe(RICH)["tensors"]
    assert [list(told[name]) for name in ("x", "fine", "asked", "mask")] == [
        ["grid"],
        ["raw"],
        ["raw"],
        ["raw"],
    ]
    assert len(told["x"]["grid"].data) == 2 * 12


def _frame(head: Mapping[str, object]) -> tuple[bytes, bytes]:
    data = pack(head)
    size, _ = LENGTHS.unpack(data[: LENGTHS.size])
    return data[LENGTHS.size : LENGTHS.size + size], data[LENGTHS.size + size :]


@pytest.mark.parametrize(
    "value",
    [
        None,
        True,
        24,
        2.5,
        "text",
        OtherValue("slice", "a slice"),
        SequenceValue("tuple", 2, (1, OtherValue("slice", ""))),
        TensorValue("float64", (2, 3), "meta", "Tensor", None, True),
        FigureValue(
            (
                {
                    "visible": True,
                    "titles": ["", "a", ""],
                    "pictures": [{"array": Blob("uint8", (1, 1), b"a")}],
                },
            )
        ),
    ],
)
def test_a_value_without_numbers_to_hide_comes_back_as_it_went(value: Value) -> None:
    plain = unpack(*_frame({"value": plain_value(value)}))["value"]
    assert read_plain_value(plain) == value


@pytest.mark.parametrize("places", [True, False])
@pytest.mark.parametrize("value", [RIGHT, tensor(3.5), tensor([1, float("nan")]), tensor([-1e300, 1e300])])
def test_a_sealed_tensor_comes_back_and_still_compares(value: TensorValue, places: bool) -> None:
    plain = unpack(*_frame({"value": plain_value(seal(value, places))}))["value"]
    back = read_plain_value(plain)
    assert same_value(probe(), value, back)
    assert not same_value(probe(), WRONG, back)
    if np.isfinite(value.array).all():  # type: ignore[arg-type]
        assert difference(probe(), "y", back, value) is None


def test_a_sequence_of_tensors_is_sealed_inside() -> None:
    value = SequenceValue("tuple", 2, (RIGHT, 3))
    back = read_plain_value(unpack(*_frame({"value": plain_value(seal(value))}))["value"])
    assert same_value(probe(), value, back)
    assert difference(probe(), "y", back, value) is None


def test_a_damaged_file_is_laid_open_as_far_as_it_goes() -> None:
    data = sealed_bytes()
    first = laid_open(data)[0]
    assert laid_open(data[:-9] + b"nonsense.")[0] == first
    assert laid_open(MAGIC + b"1234nonsense") == []


# --- the file -----------------------------------------------------------------------------------


def test_a_file_holds_what_a_grade_needs(file: Path) -> None:
    held = read_sealed(file)
    assert isinstance(held, Sealed)
    assert (held.lesson, held.seed, held.mistakes) == ("tiny", 5, CATALOGUE)
    assert [asked.id for asked in held.probes] == [RICH.id, REFUSE.id, COUNT.id]
    assert held.want[REFUSE.id] == {}
    assert difference(RICH, "y", held.want[RICH.id]["y"], RIGHT) is None
    assert difference(RICH, "y", held.want[RICH.id]["y"], WRONG) is not None


def test_the_answers_of_every_single_mistake_are_in_it_and_of_no_pair(file: Path) -> None:
    sets = {"a": ("turned",), "b": ("crashes",), "c": ("turned", "crashes"), "d": ("unknown",)}
    found = read_sealed(file).ask("add", [RICH, REFUSE], sets)
    assert sorted(found) == ["a", "b"]
    turned, crashes = found["a"][RICH.id], found["b"][RICH.id]
    assert (turned.outcome, turned.changed) == ("returned", ("x",))
    assert same_value(RICH, WRONG, turned.values["y"])
    assert crashes.raised is not None
    assert crashes.raised.types == ("IndexError", "LookupError")
    assert (crashes.outcome, crashes.raised.message) == ("raised", "3")
    assert (found["b"][REFUSE.id].outcome, found["b"][REFUSE.id].message) == ("unfit", "m")


def test_a_mistake_cut_short_is_not_sealed_and_one_that_cannot_answer_is_left_out(tmp_path: Path) -> None:
    def cut(step: str, probes: Sequence[Probe], sets: Mapping[str, Sequence[str]]) -> Mapping[str, Answers]:
        return {key: dict(list(given.items())[:1]) for key, given in ask(step, probes, sets).items()}

    def silent(
        step: str, probes: Sequence[Probe], sets: Mapping[str, Sequence[str]]
    ) -> Mapping[str, Answers]:
        return {key: given if key == "turned" else {} for key, given in ask(step, probes, sets).items()}

    known: Any = {"want": {RICH.id: {"y": RIGHT}}, "mistakes": CATALOGUE, "homes": {"add": ("add",)}}
    with pytest.raises(MachineError) as raised:
        seal_lesson("tiny", 5, (RICH, REFUSE), ask=cut, **known)
    assert str(raised.value) == "the known mistake turned did not come to its end in add: try again"
    path = tmp_path / "sealed.bin"
    path.write_bytes(seal_lesson("tiny", 5, (RICH, REFUSE), ask=silent, **known))
    assert sorted(read_sealed(path).ask("add", [RICH], {"a": ("turned",), "b": ("crashes",)})) == ["a"]


def test_the_same_content_makes_the_same_file() -> None:
    assert sealed_bytes() == sealed_bytes()


def test_no_expected_number_and_no_line_of_code_is_in_the_file() -> None:
    values = np.random.default_rng(3).standard_normal((4, 5))
    want: dict[str, dict[str, Any]] = {RICH.id: {"y": tensor(values)}, REFUSE.id: {}}
    probes = (RICH, REFUSE)
    data = seal_lesson("tiny", 5, probes, want=want, mistakes=CATALOGUE, homes={"add": ("add",)}, ask=ask)
    unpacked = b"".join(laid_open(data))
    assert not any(value.tobytes() in unpacked for value in values.ravel())
    assert not any(np.float32(value).tobytes() in unpacked for value in values.ravel())
    assert SECRET.encode() not in unpacked
    assert b"def " not in unpacked
    assert b"import" not in unpacked


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as raised:
        read_sealed(path)
    assert str(raised.value).startswith(f"{path}: ")
    return str(raised.value).removeprefix(f"{path}: ")


def test_a_file_that_is_not_there_or_is_a_folder_is_said(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.bin") == "cannot be read (No such file or directory)"
    assert refusal(tmp_path) == "cannot be read (Is a directory)"


@pytest.mark.parametrize("data", [b"", b"PK\x03\x04", MAGIC[:-2], b"attention-grader sealed answers 2\nx"])
def test_another_file_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "other.bin").write_bytes(data)
    assert refusal(tmp_path / "other.bin") == (
        "not a file of sealed answers; take the one that came with the bundle"
    )


def test_a_file_that_unpacks_to_far_too_much_is_refused(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "FILE_LIMIT", 2**20)
    assert read_sealed(file).lesson == "tiny"
    file.write_bytes(file_of(zlib.compress(b"\0" * (2 * 2**20), 9)))
    assert refusal(file) == "damaged (WireError); take a fresh copy of the bundle"
    file.write_bytes(MAGIC + b"\0" * (2 * 2**20))
    assert refusal(file).startswith("damaged")


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (lambda: MAGIC, "error"),
        (lambda: file_of(b"nonsense"), "error"),
        (lambda: file_of(zlib.compress(b"")), "error"),
        (lambda: file_of(zlib.compress(b"short")), "error"),
        (lambda: sealed_bytes()[:-30], "WireError"),
        (lambda: sealed_bytes() + b"more", "WireError"),
        (lambda: sealed_bytes()[:200], "WireError"),
        (lambda: sealed_bytes()[:-9] + b"x" + sealed_bytes()[-8:], "WireError"),
        (lambda: file_of(packed({})), "KeyError"),
        (lambda: file_of(packed({"mistakes": 3})), "TypeError"),
        (lambda: remade(lambda held, _: held.update(want=[])), "AttributeError"),
        (lambda: remade(lambda held, _: held.update(steps=[])), "AttributeError"),
        (lambda: remade(lambda held, _: held.update(probes=[{}])), "KeyError"),
        (lambda: remade(lambda held, _: held["steps"]["add"].update(homes=3)), "TypeError"),
        (lambda: remade(lambda held, _: held["steps"]["add"].pop("mistakes")), "KeyError"),
        (lambda: resized(lambda columns: columns[0].update(size=-3)), "WireError"),
        (lambda: resized(lambda columns: columns[0].update(size="3")), "TypeError"),
        (lambda: resized(lambda columns: columns.append(columns[0])), "WireError"),
        (lambda: remade(lambda held, _: held["mistakes"][0].pop("title")), "ValidationError"),
    ],
)
def test_a_damaged_file_is_refused(tmp_path: Path, data: Any, kind: str) -> None:
    (tmp_path / "sealed.bin").write_bytes(data())
    assert refusal(tmp_path / "sealed.bin") == f"damaged ({kind}); take a fresh copy of the bundle"


def test_no_answer_is_read_but_those_that_are_asked_for(tmp_path: Path) -> None:
    path = tmp_path / "sealed.bin"
    path.write_bytes(remade(lambda _, columns: columns[1].update(answers=Blob("uint8", (0,), b""))))
    held = read_sealed(path)
    assert held.ask("add", [RICH], {"a": ("turned",)})["a"][RICH.id].outcome == "returned"
    with pytest.raises(InputError, match="damaged"):
        held.ask("add", [RICH, REFUSE], {"a": ("turned",)})


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda _, columns: columns[0].update(rows=numbers(0)), "WireError"),
        (lambda _, columns: columns[0].update(rows=numbers(0, 2)), "WireError"),
        (lambda _, columns: columns[0].update(rows=numbers(-1, 0)), "WireError"),
        (lambda _, columns: columns[0].update(rows=Blob("uint8", (2,), b"ab")), "WireError"),
        (lambda _, columns: columns[0].update(rows=[0, 1]), "AttributeError"),
        (lambda _, columns: columns[0].update(ends=numbers()), "WireError"),
        (lambda _, columns: columns[0].update(ends=numbers(40, 20)), "WireError"),
        (lambda _, columns: columns[0].update(answers=Blob("uint8", (3,), b"abc")), "WireError"),
        (lambda _, columns: columns[0].pop("ends"), "KeyError"),
        (lambda held, _: held["steps"]["add"]["mistakes"].pop(), "WireError"),
        (lambda held, _: held["steps"]["add"]["columns"][0].update(probe="add/other"), "KeyError"),
        (lambda held, columns: (held["steps"].clear(), columns.clear()), "KeyError"),
    ],
)
def test_answers_of_mistakes_are_read_where_they_are_asked_for(
    tmp_path: Path, change: Any, kind: str
) -> None:
    path = tmp_path / "sealed.bin"
    path.write_bytes(remade(change))
    held = read_sealed(path)
    with pytest.raises(InputError) as raised:
        held.ask("add", [RICH], {"a": ("turned",)})
    assert str(raised.value) == f"{path}: damaged ({kind}); take a fresh copy of the bundle"


# --- the lesson itself --------------------------------------------------------------------------


def grader(tree: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    command = [sys.executable, "-m", "grader", *arguments]
    return subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.thorough
def test_the_command_seals_a_lesson_and_grades_by_it(tmp_path: Path) -> None:
    """The lesson itself, with a handful of its known mistakes; all take minutes (tests/grading/test_lessons.py)."""
    tree, away, file = tmp_path / "tree", tmp_path / "away", tmp_path / "sealed.bin"
    for name in ("grader", "exercises", "reference"):
        shutil.copytree(ROOT / name, tree / name, ignore=shutil.ignore_patterns("__pycache__"))
    (catalogue,) = tree.glob("reference/*/mistakes.yaml")
    plain = {
        key: value for key, value in yaml.safe_load(catalogue.read_text("utf-8"))[0].items() if key != "twins"
    }
    catalogue.write_text(yaml.safe_dump([plain]), "utf-8")
    made = grader(tree, "seal", "--out", str(file))
    assert made.returncode == 0, made.stderr
    assert made.stdout.startswith(f"{file}: ")
    held = read_sealed(file)
    assert [entry.id for entry in held.mistakes] == [plain["id"]]

    (tree / "reference").rename(away)
    (solution,) = away.glob("*/solution")
    done = grader(tree, "grade", str(solution), "--sealed", str(file), "--json", "-")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["score"] == 100
