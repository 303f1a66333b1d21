"""The scripts of bundles for GitLab and Classroom 50, run as those systems would; and where a script looks."""

from __future__ import annotations

import csv
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from grader.course.bundle.engine import WHEEL
from grader.course.bundle.model import Item, Options, Parts, Source
from grader.course.bundle.shared import filled
from grader.lesson.lesson import find_lesson
from grader.report import story

ROOT = Path(__file__).resolve().parents[2]
SLUG = "multi_head_attention"
EXERCISE = Path("exercises") / SLUG
SCHEMA = Path(__file__).resolve().parents[1] / "data" / "schemas" / "classroom50_result.json"
CONCAT = "def concat(heads):\n    return heads.transpose(1, 2).flatten(2)\n"
GIVEN = {
    "CLASSROOM": "dl", "ASSIGNMENT": "mha", "ASSIGNMENT_TYPE": "individual", "USERNAME": "ana",
    "SUBMISSION_TAG": "submit/2026-11-30T07-59-30Z-a1b2c3d", "COMMIT_URL": "c", "RELEASE_URL": "r", "REVIEW_URL": "v",
}  # fmt: skip

pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs the jail of Linux")


# --- where the work is -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def source() -> Source:
    """What templates are filled from, where engine and answers are not what is tried."""
    parts = Parts(wheel=lambda _: Item(WHEEL, b""), sealed=lambda: b"", secrets=frozenset)
    return Source(ROOT, find_lesson(SLUG, ROOT), Options(), parts)


@pytest.fixture(scope="module")
def enter(source: Source) -> str:
    """The lines that scripts share: from `work`, the learner's tree, to the folder that is graded."""
    return filled("shared/work.sh.j2", "work.sh", source).data.decode()


def plain(tree: Path) -> str:
    (tree / EXERCISE).mkdir(parents=True)
    return f"tree/{EXERCISE}"


def flat(tree: Path) -> str:
    (tree / "attend.py").touch()
    return "tree"


def link_within(tree: Path) -> str:
    (tree / "mine").mkdir()
    (tree / "exercises").mkdir()
    (tree / EXERCISE).symlink_to("../mine")
    return "tree/mine"


def link_out(tree: Path) -> str:
    (tree.parent / "reference").mkdir()
    (tree / "exercises").mkdir()
    (tree / EXERCISE).symlink_to("../../reference")
    return "tree"


def parent_link_out(tree: Path) -> str:
    (tree.parent / "others" / SLUG).mkdir(parents=True)
    (tree / "exercises").symlink_to("../others")
    return "tree"


def link_to_a_neighbour_of_like_name(tree: Path) -> str:
    (tree.parent / "tree-of-another").mkdir()
    (tree / "exercises").mkdir()
    (tree / EXERCISE).symlink_to("../../tree-of-another")
    return "tree"


def link_to_itself(tree: Path) -> str:
    (tree / "exercises").mkdir()
    (tree / EXERCISE).symlink_to(SLUG)
    return "tree"


@pytest.mark.parametrize(
    "lay",
    [plain, flat, link_within, link_out, parent_link_out, link_to_a_neighbour_of_like_name, link_to_itself],
    ids=lambda lay: lay.__name__,
)
def test_a_script_enters_the_exercise_and_follows_no_link_out_of_the_tree(
    enter: str, tmp_path: Path, lay: object
) -> None:
    home = tmp_path / "with a space"
    (home / "tree").mkdir(parents=True)
    wanted = lay(home / "tree")  # type: ignore[operator]
    script = f'set -euo pipefail\nwork=tree\n{enter}\nprintf %s "$work"'
    done = subprocess.run(["bash", "-c", script], cwd=home, capture_output=True, text=True, check=True)
    assert done.stdout == str(home.resolve() / wanted)


# --- what becomes of a grade -------------------------------------------------------------------------

GRADER = """#!/bin/sh
echo "$*" >>asked
env >>seen
[ "$3" = grade ] || exit 0
while [ $# -gt 1 ]; do
  case "$1" in
    --unusable) [ -z "{unusable}" ] || echo "nothing of the lesson in it" >"$2" ;;
    --json) [ -z "{record}" ] || echo '{{"score": 0}}' >"$2" ;;
  esac
  shift
done
printf '::error::PWNED\\n##[error]PWNED\\n' >&2
exit {code}
"""
STALE = {  # what an earlier run may have left: a row, the reason for one
    "actions/staff.sh.j2": ("results/ana.csv", "results/ana.unusable"),
    "gitlab/grade.sh.j2": ("reports/grade.csv", "reports/unusable.txt"),
    "classroom50/autograder.sh.j2": ("result.json",),
}
FAULTS = {
    "the machine": GRADER.format(code=3, unusable="", record=""),
    "one step of the machine's": GRADER.format(code=3, unusable="", record="yes"),
    "the set-up, a broken sealed file say": GRADER.format(code=2, unusable="", record=""),
    "no engine": "#!/bin/sh\necho 'No module named grader' >&2\nexit 1\n",
    "killed": GRADER.format(code=137, unusable="", record=""),
}
SECRETS = {
    "CI_JOB_TOKEN": "glcbt_1",
    "DEPLOY_KEY": "masked_2",
    "GITHUB_TOKEN": "ghs_3",
    "LEARNERS_READ_TOKEN": "glpat_4",
}


def played(
    source: Source, place: Path, template: str, python: str, **given: str
) -> subprocess.CompletedProcess[str]:
    """A bundle's script in `place`, where a stand-in is the grader."""
    words = {"staff": True} if template.startswith("gitlab") else {}
    (place / "grade.sh").write_bytes(filled(template, "grade.sh", source, **words).data)
    (place / "work").mkdir()
    (place / "python").write_text(python)
    (place / "python").chmod(0o755)
    return run(["bash", "grade.sh", "work"], place, {**given, "GRADER_PYTHON": str(place / "python")})


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("template", STALE)
def test_whatever_fails_but_the_learners_own_work_is_no_row_and_a_failed_run(
    source: Source, tmp_path: Path, template: str, fault: str
) -> None:
    for stale in STALE[template]:
        (tmp_path / stale).parent.mkdir(exist_ok=True)
        (tmp_path / stale).write_text("learner,points\nana,0\n")
    done = played(source, tmp_path, template, FAULTS[fault], LEARNER="ana")
    assert done.returncode in (1, 3)
    assert [stale for stale in STALE[template] if (tmp_path / stale).exists()] == []
    if (tmp_path / "asked").exists():
        assert "platform" not in (tmp_path / "asked").read_text()


@pytest.mark.parametrize("template", ["actions/staff.sh.j2", "gitlab/grade.sh.j2"])
def test_a_grade_is_given_no_variable_that_the_job_keeps_secret(
    source: Source, tmp_path: Path, template: str
) -> None:
    done = played(
        source, tmp_path, template, GRADER.format(code=3, unusable="", record=""), LEARNER="ana", **SECRETS
    )
    assert done.returncode == 3
    seen = (tmp_path / "seen").read_text()
    assert "PATH=" in seen
    assert [value for value in SECRETS.values() if value in seen] == []


@pytest.mark.parametrize(
    ("code", "asked"), [(2, ["grade", "platform row", "platform github"]), (3, ["grade"])]
)
def test_a_fault_of_the_machine_is_no_row_of_the_learners_and_nothing_old_counts(
    source: Source, tmp_path: Path, code: int, asked: list[str]
) -> None:
    (tmp_path / "grade.sh").write_bytes(filled("actions/staff.sh.j2", "grade.sh", source).data)
    for name in ("work", "results"):
        (tmp_path / name).mkdir()
    (tmp_path / "results" / "b_a_.json").write_text('{"score": 100}')
    (tmp_path / "python").write_text(GRADER.format(code=code, unusable="yes" if code == 2 else "", record=""))
    (tmp_path / "python").chmod(0o755)
    given = {"LEARNER": "b/a\n", "GRADER_PYTHON": str(tmp_path / "python")}
    done = run(["bash", "grade.sh", "work"], tmp_path, given)
    assert done.returncode == code
    calls = re.findall(r"^-m grader (platform \w+|\w+)", (tmp_path / "asked").read_text(), re.MULTILINE)
    assert calls == asked
    assert not (tmp_path / "results" / "b_a_.json").exists()
    obeyed = [
        line for line in (done.stdout + done.stderr).splitlines() if line.startswith("::") or "##[" in line
    ]
    assert obeyed == []
    assert ("PWNED" in done.stderr) == (code == 3)


GIT = """#!{python}
import json, subprocess, sys
from pathlib import Path

words = sys.argv[1:]
if "clone" in words:
    at = words.index("clone")
    asked = ["git", *words[:at], "credential", "fill"]
    host = "protocol=https\\nhost=gitlab.example\\n\\n"
    given = subprocess.run(asked, input=host, capture_output=True, text=True, check=True)
    Path("git.json").write_text(json.dumps([words, given.stdout]))
    Path(words[-1], ".git").mkdir(parents=True)
    Path(words[-1], ".git", "config").write_text("url = https://gitlab.example/with/a/token")
else:
    print("abc 2026-12-01T10:00:00+00:00")
"""


def test_a_read_token_goes_to_git_alone_and_the_work_is_fetched_within_a_time(
    source: Source, tmp_path: Path
) -> None:
    real = shutil.which("git")
    assert real is not None
    tools = tmp_path / "tools"
    tools.mkdir()
    (tools / "git").write_text(
        GIT.format(python=sys.executable).replace('"git", *words', f'"{real}", *words')
    )
    (tools / "git").chmod(0o755)
    (tools / "timeout").write_text('#!/bin/sh\necho "$1" >limit\nshift\nexec "$@"\n')
    (tools / "timeout").chmod(0o755)
    look = '#!/bin/sh\n[ "$3" != grade ] || { env; ls -a "$4"; } >seen\nexit 3\n'
    given = {
        **SECRETS,
        "REPOSITORY": "https://gitlab.example/course/ana.git",
        "PATH": f"{tools}:{os.environ['PATH']}",
    }
    assert played(source, tmp_path, "gitlab/grade.sh.j2", look, **given).returncode == 3
    words, filled_in = json.loads((tmp_path / "git.json").read_text())
    assert "username=oauth2\npassword=glpat_4\n" in filled_in
    assert not [word for word in words if "glpat_4" in word]
    assert int((tmp_path / "limit").read_text()) <= 600
    seen = (tmp_path / "seen").read_text()
    assert "PATH=" in seen
    assert ".git\n" not in seen
    assert [value for value in SECRETS.values() if value in seen] == []


# --- the scripts themselves --------------------------------------------------------------------------


def bundle(kind: str, place: Path, *options: str) -> None:
    """A kind of bundle, made by the command and unpacked with its bits."""
    steps = ("--steps", "project,concat,output")  # those with the fewest known mistakes to seal
    command = [sys.executable, "-m", "grader", "bundle", kind, "--out", str(place), *steps, *options]
    place.mkdir()
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    for path in place.glob("*.zip"):
        with zipfile.ZipFile(path) as held:
            for info in held.infolist():
                Path(held.extract(info, place / path.stem)).chmod((info.external_attr >> 16) & 0o777)


def python_of(folder: Path) -> str:
    """In place of pip: the engine that the bundle carries, unpacked, before the packages of this environment."""
    (wheel,) = folder.glob("engine/*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / ".engine")
    python = folder / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{folder / ".engine"}" exec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    return str(python)


def run(script: list[str], where: Path, given: Mapping[str, str]) -> subprocess.CompletedProcess[str]:
    kept = {name: os.environ[name] for name in ("PATH", "LANG", "OPENBLAS_CORETYPE") if name in os.environ}
    return subprocess.run(
        script,
        cwd=where,
        env={**kept, "HOME": str(where), **given},
        capture_output=True,
        text=True,
        check=False,
    )


def test_gitlab_fetches_grades_and_marks_what_came_late(tmp_path: Path) -> None:
    bundle("gitlab", tmp_path / "made", "--due", "2026-12-04")
    staff, work = tmp_path / "made" / "gitlab-staff", tmp_path / "made" / "gitlab"
    (work / EXERCISE / "concat.py").write_text(CONCAT)
    late = {f"GIT_{role}_DATE": "2026-12-06T12:00:00Z" for role in ("AUTHOR", "COMMITTER")}
    who = ["-c", "user.name=Ana", "-c", "user.email=ana@school.example"]
    for words in (["init", "-q", "-b", "main"], ["add", "-A"], [*who, "commit", "-q", "-m", "Mine"]):
        subprocess.run(["git", *words], cwd=work, check=True, env={**os.environ, **late})
    given = {"REPOSITORY": work.as_uri(), "REF": "main", "GRADER_PYTHON": python_of(staff)}
    (staff / "reports").mkdir()
    (staff / "reports" / "grade.csv").write_text("of another")
    none = run(["bash", ".gitlab/grade.sh"], staff, {"GRADER_PYTHON": given["GRADER_PYTHON"]})
    assert (none.returncode, "start the pipeline with the variable REPOSITORY" in none.stderr) == (2, True)
    assert not (staff / "reports" / "grade.csv").exists()
    for _ in range(2):  # a runner keeps the folder
        done = run(["bash", ".gitlab/grade.sh"], staff, {**given, "CI_JOB_TOKEN": "glcbt_secret"})
        assert done.returncode == 0, done.stderr
    (row,) = csv.DictReader((staff / "reports" / "grade.csv").read_text("utf-8").splitlines())
    assert (row["learner"], row["points"], row["minutes_late"]) == ("gitlab", "10", "2161")
    assert "gitlab: late by 36 h 1 min: " in done.stdout
    assert (staff / "reports" / "junit.xml").is_file()
    kept = [path.read_text("utf-8") for path in (staff / "reports").iterdir()]
    assert not [text for text in [*kept, done.stdout, done.stderr] if "glcbt_secret" in text]


def test_classroom50_grades_in_the_learners_checkout_by_answers_that_are_not_the_learners(
    tmp_path: Path,
) -> None:
    bundle("classroom50", tmp_path / "made")
    autograder, work = tmp_path / "made" / "classroom50-autograder", tmp_path / "made" / "classroom50"
    (work / EXERCISE / "concat.py").write_text(CONCAT)
    (sealed,) = (work / EXERCISE).glob("*sealed*")
    sealed.write_bytes(b"all answers are right")
    (work / EXERCISE / "checks.py").write_text("")
    (work / "result.json").write_text('{"score": 100}')
    script = [sys.executable, str(autograder / "autograder.py")]
    done = run(script, work, {**GIVEN, "GRADER_PYTHON": python_of(autograder)})
    assert done.returncode == 0, done.stderr
    result = json.loads((work / "result.json").read_text("utf-8"))
    assert list(Draft202012Validator(json.loads(SCHEMA.read_text("utf-8"))).iter_errors(result)) == []
    assert {row["test-name"]: row["score"] for row in result["tests"] if row["score"]} == {
        "Join the heads": 10
    }
    assert (result["score"], result["max-score"], result["datetime"]) == (10, 30, "2026-11-30T07:59:30Z")
    assert result["tests"][0]["message"].startswith(f"{story.PRACTICE}\n")
    shutil.rmtree(work / "exercises")
    done = run(script, work, {**GIVEN, "GRADER_PYTHON": python_of(autograder)})
    result = json.loads((work / "result.json").read_text("utf-8"))
    assert (done.returncode, result["score"], len(result["tests"])) == (0, 0, 3)
    assert "nothing of the lesson in it" in result["tests"][0]["message"]
    assert result["tests"][0]["message"].startswith(story.PRACTICE) is False  # nothing was judged at all


COLLECTED = """#!/bin/sh
if [ "$4" = table ]; then exec "{python}" "$@"; fi
if [ "$4" = row ]; then
  printf 'learner,points,of,commit,committed,minutes_late,problem\\n%s,1,100,,,,\\n' "$7" >"$9"
  exit 0
fi
echo "$4|$6" >>"{place}/asked"
case "$4" in *cem*) exit 3 ;; esac
while [ $# -gt 1 ]; do
  case "$1" in --json) echo record >"$2" ;; esac
  shift
done
"""


def collected(source: Source, place: Path) -> Path:
    """A staff folder whose grader is a stand-in that fails for Cem, and what was collected beside it."""
    staff = place / "staff"
    (staff / "exercises").mkdir(parents=True)
    (staff / "grade.sh").write_bytes(filled("classroom50/staff.sh.j2", "grade.sh", source).data)
    (staff / "python").write_text(COLLECTED.format(python=sys.executable, place=place))
    (staff / "python").chmod(0o755)
    for name in ("ana", "b b", "b_b", "cem", "grader"):
        (place / "collected" / name).mkdir(parents=True)
    (place / "collected" / "grader" / "__init__.py").write_text("open('pwned', 'w')\n")
    (place / "collected" / "link").symlink_to(place / "staff")
    (place / "collected" / "notes.txt").write_text("no learner")
    return staff


def test_what_classroom50_collected_is_graded_again_one_after_the_other(
    source: Source, tmp_path: Path
) -> None:
    staff = collected(source, tmp_path)
    given = {"GRADER_PYTHON": str(staff / "python")}
    done = run(["bash", "../staff/grade.sh", ".", "../results"], tmp_path / "collected", given)
    assert done.returncode == 3  # one could not be graded, and the others were all the same
    rows = list(csv.DictReader((tmp_path / "results" / "grades.csv").read_text("utf-8").splitlines()))
    assert [row["learner"] for row in rows] == ["ana", "b b", "b_b", "grader"]
    assert (
        "cem: not graded, and no row written: the grader or its set-up failed, not the learner" in done.stderr
    )
    assert {"link: passed over, it is no folder", "notes.txt: passed over, it is no folder"} <= {
        line.rpartition("/")[2] for line in done.stderr.splitlines()
    }
    asked = [line.split("|") for line in (tmp_path / "asked").read_text().splitlines()]
    assert [Path(work).name for work, _ in asked] == ["ana", "b b", "b_b", "cem", "grader"]
    for _, course in asked:
        assert not Path(course).is_relative_to(tmp_path)
        assert not Path(course).exists()  # it is taken away at the end
    assert not (tmp_path / "collected" / "pwned").exists()
    nobody = run(["bash", "../staff/grade.sh", "nowhere"], tmp_path / "collected", given)
    assert (nobody.returncode, nobody.stderr) == (2, "nowhere: no such folder\n")


@pytest.mark.slow
def test_the_staff_side_of_classroom50_gives_a_class_its_official_grades(tmp_path: Path) -> None:
    bundle("classroom50", tmp_path / "made")
    staff, template = tmp_path / "made" / "classroom50-staff", tmp_path / "made" / "classroom50"
    for name in ("ana", "ben"):
        shutil.copytree(template, tmp_path / "collected" / name)
    (tmp_path / "collected" / "ana" / EXERCISE / "concat.py").write_text(CONCAT)
    done = run(["bash", str(staff / "grade.sh"), "collected"], tmp_path, {"GRADER_PYTHON": python_of(staff)})
    assert done.returncode == 0, done.stderr
    rows = list(csv.DictReader((tmp_path / "results" / "grades.csv").read_text("utf-8").splitlines()))
    assert [(row["learner"], row["points"]) for row in rows] == [("ana", "10"), ("ben", "0")]
    record = json.loads((tmp_path / "results" / "001-ana.json").read_text("utf-8"))
    assert record["environment"]["standard"] == "the reference"
