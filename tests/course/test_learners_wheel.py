"""What learners get in a bundle: an engine without the staff's part, small enough, that does all a learner asks for."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from dataclasses import replace
from functools import cache, partial
from io import BytesIO
from pathlib import Path

import pytest

from grader.core.parts import ROOMS, said_of_missing
from grader.course.bundle.checking import LARGEST
from grader.course.bundle.engine import STAFFS, WHEEL, engine_wheel
from grader.course.bundle.kinds import KINDS
from grader.course.bundle.making import made, source_of
from grader.course.bundle.model import Options, Source
from grader.grading.seal import sealed_bytes
from grader.quiz.bank.bank import read_bank

ROOT = Path(__file__).resolve().parents[2]
SLUG = "multi_head_attention"
LEFT_OUT = (
    "grader: this part of the grader is not in a learner's bundle;"
    " whoever gives the course has it, in the course's checkout or in a staff bundle\n"
)
LEARNERS = [kind for sides in KINDS.values() for kind in sides if kind.audience == "learner"]


@pytest.fixture(scope="module")
def source() -> Source:
    """All that bundles are made from, as it is, with the Knowledge Check to practise."""
    found = source_of(SLUG, Options(practice_quiz=("check",)), ROOT)
    parts = replace(found.parts, sealed=cache(partial(sealed_bytes, found.lesson, None)))
    return replace(found, parts=parts)


@pytest.fixture(scope="module")
def bundle(source: Source, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The student's bundle, unpacked."""
    place = tmp_path_factory.mktemp("student")
    zipfile.ZipFile(BytesIO(made(KINDS["student"][0], source))).extractall(place)
    return place


@pytest.fixture(scope="module")
def program(bundle: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python of its own with that bundle's wheel; what the wheel needs is found where we find it."""
    place = tmp_path_factory.mktemp("learner") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    found = Path(sysconfig.get_path("purelib", vars={"base": str(place)}))
    (found / "here.pth").write_text(sysconfig.get_path("purelib") + "\n")
    zipfile.ZipFile(bundle / WHEEL).extractall(found)
    return place / "bin" / "python"


def run(program: Path, bundle: Path, *words: str, typed: str = "") -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(program), "-m", "grader", *words],
        cwd=bundle, input=typed, capture_output=True, text=True, check=False,
        env={**os.environ, "XDG_STATE_HOME": str(bundle.parent / "state"), "COLUMNS": "100"},
    )  # fmt: skip


def test_the_staffs_part_is_in_the_checkout_and_not_in_a_learners_wheel() -> None:
    assert [path for path in STAFFS if not (ROOT / path).exists()] == []
    whole, mine = (
        set(zipfile.ZipFile(BytesIO(engine_wheel(ROOT, audience).data)).namelist())
        for audience in ("staff", "learner")
    )
    gone = tuple(path.replace("templates/", "grader/templates/") for path in STAFFS)
    assert {name for name in whole if not name.startswith(gone)} == mine
    modules = {path.removesuffix(".py").replace("/", ".") for path in STAFFS if path.startswith("grader/")}
    assert modules == set(ROOMS)


def test_no_other_missing_module_is_taken_for_the_staffs_part() -> None:
    assert said_of_missing(ModuleNotFoundError("", name="grader.quiz.stats.page")) == LEFT_OUT[8:-1]
    for name in ("grader.probes", "grader.quiz", "grader.quiz.statsx", "torch", None):
        assert said_of_missing(ModuleNotFoundError("", name=name)) == ""


@pytest.mark.slow
@pytest.mark.parametrize("kind", LEARNERS, ids=lambda kind: kind.name)
def test_a_learners_bundle_is_below_two_megabytes(source: Source, kind: object) -> None:
    data = made(kind, source)  # type: ignore[arg-type]
    assert LARGEST == 2_000_000
    assert len(data) < LARGEST


@pytest.mark.slow
def test_a_learners_wheel_does_what_learners_ask_for(program: Path, bundle: Path) -> None:
    work = f"exercises/{SLUG}"
    graded = run(program, bundle, "grade", work, "--course", ".", "--json", "record.json")
    assert (graded.returncode, graded.stderr) == (0, "")
    assert '"not_attempted"' in (bundle / "record.json").read_text("utf-8")
    hinted = run(program, bundle, "hint", "concat", "--submission", work, "--course", ".")
    assert (hinted.returncode, hinted.stderr) == (0, "")
    looked = run(program, bundle, "doctor", "--course", ".")
    assert (looked.returncode, looked.stderr) == (0, "")
    told = run(program, bundle, "platform", "github", "record.json", "--course", ".", "--submission", work)
    assert (told.returncode, told.stderr) == (0, "")
    bank = f"practice/quizzes/{SLUG}.yaml"
    count = len(read_bank(bundle / bank).check)
    taken = run(
        program, bundle, "quiz", "take", "--bank", bank, "--learner", "Ada", "--out", "ada.yaml", "--exam",
        typed="\n" * 3 * count,
    )  # fmt: skip
    assert (taken.returncode, taken.stderr) == (0, "")
    assert taken.stdout.strip()
    helped = run(program, bundle, "quiz", "--help")
    assert (helped.returncode, helped.stderr) == (0, "")


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        ("audit",),
        ("bundle", "student", "--out", "x.zip"),
        ("platform", "gradescope", "--base", "."),
        ("quiz", "stats", "record.json"),
        ("quiz", "export", "--to", "gift", "--out", "x.gift"),
        ("quiz", "import", "README.md", "--out", "x.yaml"),
    ],
    ids=" ".join,
)
def test_what_only_staff_need_is_refused_in_one_line(
    program: Path, bundle: Path, words: tuple[str, ...]
) -> None:
    done = run(program, bundle, *words)
    assert (done.returncode, done.stdout, done.stderr) == (2, "", LEFT_OUT)
