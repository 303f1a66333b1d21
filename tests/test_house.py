from __future__ import annotations

import ast
import functools
import importlib.metadata
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from grader.core import paths

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
HEAVY = ("matplotlib", "nbformat", "numpy", "pytest", "torch")

TOP_LEVEL = {
    "docs", "exercises", "grader", "reference", "quizzes", "templates", "tests", ".ci", ".editorconfig", ".gitattributes",
    ".gitignore", ".pre-commit-config.yaml", ".pre-commit-hooks.yaml", "Makefile", "README.md", "CONTRIBUTING.md",
    "CHANGELOG.md", "LICENSE", "pyproject.toml", "constraints.txt",
}  # fmt: skip

# Which rooms of the engine a room may use besides itself; a file at the top may use any.
MAY_USE = {
    "core": "",
    "worker": "",
    "lesson": "core worker.wire",
    "sandbox": "core worker.wire",
    "submission": "core lesson",
    "judging": "core lesson worker.wire",
    "report": "core lesson",
    "grading": "core lesson sandbox submission judging report worker.wire",
    "quiz": "core lesson report",
    "course": "core lesson sandbox submission judging report grading quiz",
}


@functools.cache
def project_files() -> tuple[Path, ...]:
    """The files that git keeps or would keep; outside a checkout, all but what tools leave behind."""
    listing = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT, capture_output=True, check=False,
    )  # fmt: skip
    if listing.returncode == 0:
        names = sorted(name for name in listing.stdout.decode().split("\0") if name)
        return tuple(ROOT / name for name in names if (ROOT / name).is_file())
    left_behind = re.compile(r"(^|/)(\.venv.*|\.git|\.\w+_cache|__pycache__|\.hypothesis|build|dist)(/|$)")
    found = (path for path in sorted(ROOT.rglob("*")) if path.is_file())
    return tuple(path for path in found if not left_behind.search(path.relative_to(ROOT).as_posix()))


def relative(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def sources(*folders: str) -> list[Path]:
    """Our own Python files in these folders; submissions kept as learners write them are no sources."""
    kept = re.compile(r"tests/(data/golden|data/cases|hostile/attacks)/")
    return [
        path for path in project_files()
        if path.suffix == ".py" and relative(path).split("/")[0] in folders and not kept.match(relative(path))
    ]  # fmt: skip


def tree_of(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"), filename=relative(path))


def test_top_level_holds_only_what_the_design_names() -> None:
    assert {relative(path).split("/")[0] for path in project_files()} - TOP_LEVEL == set()


@pytest.mark.parametrize("minor", [11, 12, 13, 14])
def test_syntax_is_that_of_every_supported_python(minor: int) -> None:
    found = sources("grader", "exercises", "reference", "tests")
    assert found
    for path in found:
        ast.parse(path.read_text(encoding="utf-8"), filename=relative(path), feature_version=(3, minor))


def test_no_file_names_a_developers_machine_or_a_registry() -> None:
    hosts = r"pypi[.]org|python[h]osted|download[.]pytorch|registry[.]npmjs|deb[.]debian|files[.]python"
    places = r"/opt/(?:wheels|pypi)|/root/[.]pyenv|/tmp/bash_job[s]|/(?:home|Users)/[a-z][\w-]+/[\w.]"
    foreign = re.compile(f"{hosts}|{places}|{re.escape(str(ROOT))}/")
    hits = []
    for path in project_files():
        if relative(path).startswith(".venv/"):
            continue  # a mistake of its own, told by the test of the top level
        text = path.read_text(encoding="utf-8", errors="replace")
        hits += [f"{relative(path)}: {hit.group()}" for hit in foreign.finditer(text)]
    assert hits == []


# --- the distribution ---------------------------------------------------------------------------


def asked_for() -> list[Requirement]:
    project = PROJECT["project"]
    extras = [item for group in project["optional-dependencies"].values() for item in group]
    texts = [*project["dependencies"], *extras, *PROJECT["build-system"]["requires"]]
    found = [Requirement(text) for text in texts]
    return [each for each in found if each.name != project["name"]]  # one extra in another


def pins() -> list[tuple[str, str]]:
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return [tuple(line.split("==")) for line in lines if line and not line.startswith("#")]  # type: ignore[misc]


def test_constraints_are_exact_sorted_and_named_once() -> None:
    names = [canonicalize_name(name) for name, _ in pins()]
    assert names == sorted(set(names))
    assert dict(pins())["torch"] == "2.13.0"


def test_every_dependency_is_pinned_inside_its_range() -> None:
    pinned = {canonicalize_name(name): version for name, version in pins()}
    for requirement in asked_for():
        version = pinned.get(canonicalize_name(requirement.name), "not pinned")
        assert requirement.specifier.contains(version), f"{requirement}: {version}"


def test_everything_the_dependencies_bring_is_pinned_and_nothing_else() -> None:
    fuzzing = PROJECT["project"]["optional-dependencies"]["fuzz"]
    only_to_fuzz = {canonicalize_name(Requirement(text).name) for text in fuzzing}  # `make fuzz` installs it
    of_cuda = re.compile(r"nvidia-|cuda-|triton$")  # torch pins these itself, where there is a GPU
    reached: set[str] = set()
    waiting = [canonicalize_name(requirement.name) for requirement in asked_for()]
    while waiting:
        name = waiting.pop()
        if name in reached or of_cuda.match(name):
            continue
        reached.add(name)
        try:
            brought = importlib.metadata.requires(name) or ()
        except importlib.metadata.PackageNotFoundError:
            assert name in only_to_fuzz, f"{name} is asked for and not installed"
            continue
        for text in brought:
            requirement = Requirement(text)
            if requirement.marker is None or requirement.marker.evaluate({"extra": ""}):
                waiting.append(canonicalize_name(requirement.name))
    assert {canonicalize_name(name) for name, _ in pins()} == reached


# --- the engine ---------------------------------------------------------------------------------


def imports_of_ours(path: Path) -> Iterator[str]:
    """The dotted names below `grader` that this file imports, at its top or inside a function."""
    here = relative(path).removesuffix(".py").split("/")
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(here[: -node.level]) if node.level else ""
            module = ".".join(part for part in (base, node.module) if part)
            names = [f"{module}.{alias.name}" for alias in node.names]
        else:
            continue
        yield from (name.removeprefix("grader.") for name in names if name.split(".")[0] == "grader")


def engine() -> list[tuple[str, Path]]:
    """(dotted name below `grader`, file) of each engine module but the package's own `__init__`."""
    files = [(relative(path).removeprefix("grader/").removesuffix(".py"), path) for path in sources("grader")]
    return [(name.replace("/", "."), path) for name, path in files if name != "__init__"]


def test_imports_run_one_way() -> None:
    wrong = []
    for name, path in engine():
        room = name.split(".", maxsplit=1)[0]
        if "." not in name:
            continue
        assert room in MAY_USE, (
            f"grader/{room} is no room: give it a line in MAY_USE, with as few others as it can"
        )
        for wanted in imports_of_ours(path):
            allowed = [room, "__version__", *MAY_USE[room].split()]
            if not any(wanted == item or wanted.startswith(f"{item}.") for item in allowed):
                wrong.append(f"{name} imports {wanted}")
    assert wrong == []


def test_the_top_of_the_engine_is_a_few_doors_and_ten_rooms() -> None:
    files = {path.name for path in sources("grader") if len(path.relative_to(ROOT).parts) == 2}
    assert files == {"__init__.py", "__main__.py", "author.py", "cli.py", "in_notebook.py", "startup.py"}
    assert {path.relative_to(ROOT).parts[1] for path in sources("grader")} - files == set(MAY_USE)


def test_no_two_engine_modules_import_each_other() -> None:
    names = {name.removesuffix(".__init__") for name, _ in engine()}
    graph: dict[str, set[str]] = {}
    for name, path in engine():
        wanted = {item if item in names else item.rpartition(".")[0] for item in imports_of_ours(path)}
        graph[name.removesuffix(".__init__")] = (wanted & names) - {name.removesuffix(".__init__")}
    while leaves := {name for name, wanted in graph.items() if not wanted}:
        graph = {name: wanted - leaves for name, wanted in graph.items() if name not in leaves}
    assert graph == {}


def test_the_worker_imports_nothing_of_ours_but_itself() -> None:
    worker = [(name, path) for name, path in engine() if name.startswith("worker")]
    assert worker
    wrong = [
        f"{name} imports {wanted}"
        for name, path in worker
        for wanted in imports_of_ours(path)
        if not wanted.startswith("worker.")
    ]
    assert wrong == []


def test_the_engine_reads_no_lesson_and_no_reference_by_import() -> None:
    foreign = re.compile(r"^\s*(?:from|import)\s+(?:exercises|reference|quizzes|tests)\b", re.MULTILINE)
    assert [name for name, path in engine() if foreign.search(path.read_text(encoding="utf-8"))] == []


def names_of_lessons() -> set[str]:
    """Slugs, names that steps provide and ids of mistakes, but those that are also plain English words."""
    names: set[str] = set()
    for file in ROOT.glob("exercises/*/lesson.yaml"):
        names.add(file.parent.name)
        for step in yaml.safe_load(file.read_text(encoding="utf-8"))["steps"]:
            names |= {provided["name"] for provided in step["provides"]}
    for file in ROOT.glob("reference/*/mistakes.yaml"):
        names |= {entry["id"] for entry in yaml.safe_load(file.read_text(encoding="utf-8"))}
    return {name for name in names if re.search(r"[_-]|[a-z][A-Z]", name)}


def test_the_engine_knows_no_lesson() -> None:
    names = names_of_lessons()
    assert {"multi_head_attention", "MultiHeadAttention", "to_library"} <= names
    lesson = re.compile(r"(?<![\w-])(?:" + "|".join(sorted(map(re.escape, names))) + r")(?![\w-])")
    hits = [
        f"{name}: {hit.group()}"
        for name, path in engine()
        for hit in lesson.finditer(path.read_text(encoding="utf-8"))
    ]
    assert hits == []


def test_public_names_are_listed_sorted_and_whole() -> None:
    listed = 0
    for path in sources("grader"):
        tree = tree_of(path)
        made: set[str] = set()
        exported: list[str] | None = None
        for node in tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                made.add(node.targets[0].id)
                if node.targets[0].id == "__all__":
                    exported = ast.literal_eval(node.value)
            elif isinstance(node, ast.FunctionDef | ast.ClassDef):
                made.add(node.name)
            elif isinstance(node, ast.ImportFrom):
                made |= {alias.asname or alias.name for alias in node.names}
        if exported is None:
            continue
        listed += 1
        own = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
        # as ruff sorts them: constants, classes, functions
        assert exported == sorted(exported, key=lambda name: (not name.isupper(), name.islower(), name)), path
        assert set(exported) <= made, relative(path)
        assert {name for name in own if not name.startswith("_")} <= set(exported), relative(path)
    assert listed


def test_one_module_works_out_where_the_engine_lies() -> None:
    assert (paths.ENGINE / "cli.py").is_file()
    assert (paths.WORKER / "zygote.py").is_file()
    asked = {
        name
        for name, path in engine()
        for node in ast.walk(tree_of(path))
        if isinstance(node, ast.Name) and node.id == "__file__"
    }
    assert asked <= {"core.paths", "startup", "worker.selftest"}  # the worker stands for itself


def test_no_engine_file_is_two_files() -> None:
    long = {name: len(path.read_text(encoding="utf-8").splitlines()) for name, path in engine()}
    assert {name: lines for name, lines in long.items() if lines > 500} == {}


IMPORT_THE_COMMAND = "import grader.cli"
ASK_FOR_HELP = """
import os, runpy
os._exit = sys.exit  # how the command ends, once it is done
sys.argv = ["grader", "--help"]
try:
    runpy.run_module("grader", run_name="__main__")
except SystemExit as end:
    assert not end.code, end.code
"""


@pytest.mark.parametrize("program", [IMPORT_THE_COMMAND, ASK_FOR_HELP])
def test_the_command_answers_help_without_heavy_imports(program: str) -> None:
    program = f"import sys\n{program}\nprint('loaded:', *sorted(set({HEAVY!r}) & sys.modules.keys()))"
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].split() == ["loaded:"]
