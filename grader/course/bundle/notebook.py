"""The bundle `notebook`: one .ipynb that holds all it needs, for Jupyter and for hosted notebooks."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from io import BytesIO

from grader.grading.session import SEALED_FILE

from .archive import packed
from .cells import LEAVE, RUN_ONCE, Cell, brief, code, heading, markdown, notebook, ours, quiz, skeletons
from .choices import given
from .contents import CHECKS
from .model import Item, Kind, Source

NEEDED = {  # what a grade imports, by the name it is installed under; a notebook's server has most of it
    "einops": "einops", "jinja2": "Jinja2", "matplotlib": "matplotlib", "nbformat": "nbformat", "numpy": "numpy",
    "pydantic": "pydantic", "pytest": "pytest", "rich": "rich", "torch": "torch", "typer": "typer", "yaml": "PyYAML",
}  # fmt: skip
ENGINE = "engine.zip"  # not made small: in the one around it that is done once for all files, and better
LINE = 20_000  # characters of the payload in one line, so that editors stay quick

SETUP = """import base64, functools, importlib.util, io, os, shutil, subprocess, sys, zipfile
_needed = {needed}
_missing = [name for module, name in _needed.items() if importlib.util.find_spec(module) is None]
if _missing:
    subprocess.run([sys.executable, "-m", "pip", "install", "-q", *_missing], check=True)
_place = os.path.abspath({place!r})
if not os.path.isdir(_place):
    shutil.rmtree(_place + ".new", ignore_errors=True)
    _data = base64.b85decode("".join(_payload.split()))
    zipfile.ZipFile(io.BytesIO(_data)).extractall(_place + ".new")
    zipfile.ZipFile(_place + ".new/{engine}").extractall(_place + ".new")
    os.rename(_place + ".new", _place)
sys.path.insert(0, os.path.join(_place, "engine"))
from grader.in_notebook import check
check = functools.partial(check, course=_place)
print("ready: check('{first}') tells about a step, check() about all of them")"""


def cells(source: Source) -> list[Cell]:
    """The notebook's cells, in order."""
    lesson = source.lesson
    given = skeletons(source)
    made = [brief(source), setup(source)]
    for step in lesson.steps:
        made.append(heading(step, step.points))
        made.append(code(f"{step.id}-work", given[step.id]))
        made.append(ours(f"{step.id}-check", LEAVE, f'check("{step.id}")'))
    made.append(markdown("all-title", "## All together"))
    made.append(ours("all-check", LEAVE, "check()"))
    return [*made, *quiz(source)]


def setup(source: Source) -> Cell:
    """The cell that carries engine and sealed answers, unpacks them and makes `check`."""
    data = packed(carried(source))
    text = base64.b85encode(data).decode()
    lines = "\n".join(text[start : start + LINE] for start in range(0, len(text), LINE))
    place = f".grader/{hashlib.sha256(data).hexdigest()[:12]}"
    body = SETUP.format(needed=NEEDED, place=place, engine=ENGINE, first=source.lesson.steps[0].id)
    payload = f'_payload = """\n{lines}\n"""'
    hidden = {"source_hidden": True}
    return ours("setup", RUN_ONCE, f"{payload}\n{body}", jupyter=hidden, tags=["hide-input"])


def carried(source: Source) -> list[Item]:
    """What the notebook unpacks: the lesson's fields and checks, sealed answers, the engine."""
    lesson = source.lesson
    kept = [item for item in given(source) if item.path.endswith((".yaml", CHECKS))]
    with zipfile.ZipFile(BytesIO(source.parts.wheel("learner").data)) as wheel:
        engine = [
            Item(f"engine/{name}", wheel.read(name)) for name in sorted(wheel.namelist()) if _is_engine(name)
        ]
    sealed = Item(f"exercises/{lesson.slug}/{SEALED_FILE}", source.parts.sealed())
    return [*kept, Item(ENGINE, packed(engine, small=False)), sealed]


def _is_engine(name: str) -> bool:
    """A notebook grades: quizzes, audits and bundles of the engine stay at home."""
    left = ("grader/course/", "grader/quiz/", "grader/templates/")
    return name.startswith("grader/") and not name.startswith(left)


def items(source: Source) -> list[Item]:
    """The one notebook."""
    return [notebook("notebook.ipynb", cells(source))]


NOTEBOOK = Kind(
    "notebook", "learner", "one notebook that checks itself, for Jupyter and hosted notebooks", ".ipynb", items,
    single=True,
)  # fmt: skip
