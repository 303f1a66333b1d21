"""What several kinds of bundle have in common: the learner's side, the staff's side, pinned versions, templates."""

from __future__ import annotations

from dataclasses import dataclass

from grader.core.errors import InputError
from grader.core.paths import HOME
from grader.core.templates import render
from grader.grading.session import SEALED_FILE
from grader.quiz.bank.bank import read_bank
from grader.quiz.web.web import quiz_page

from .choices import given
from .contents import BRIEF, bank, hidden
from .engine import WHEEL
from .model import Item, Source
from .practice import practice_bank

CONSTRAINTS = "constraints.txt"
DEVELOPING = frozenset({  # what is there for the tests alone; nobody else needs their versions
    "execnet", "hatchling", "hypothesis", "jupyterquiz", "librt", "lxml", "mypy", "mypy_extensions", "playwright",
    "greenlet", "pytest-xdist", "ruff", "types-PyYAML", "ast_serialize", "atheris", "pathspec", "trove-classifiers",
    "certifi", "charset-normalizer", "check-jsonschema", "click", "regress", "requests", "ruamel.yaml", "urllib3",
})  # fmt: skip


def learner_side(source: Source) -> list[Item]:
    """Exercise, engine, sealed answers and pinned versions: all a grade needs without a reference."""
    lesson = source.lesson
    sealed = Item(f"exercises/{lesson.slug}/{SEALED_FILE}", source.parts.sealed())
    return [*given(source), sealed, source.parts.wheel("learner"), constraints()]


def without_skeletons(source: Source) -> list[Item]:
    """The learner's side for a notebook, which holds skeletons and brief: a second copy would be written into."""
    notebook_has = {step.file for step in source.lesson.steps} | {BRIEF}
    return [item for item in learner_side(source) if item.path.rpartition("/")[2] not in notebook_has]


def staff_side(source: Source) -> list[Item]:
    """Exercise, engine, the hidden reference and pinned versions: what an official grade is made with."""
    hidden_side = hidden(source.root, source.lesson)
    key = bank(source.root, source.lesson)
    quiz = [] if key is None else [key]
    return [*given(source), *hidden_side, *quiz, source.parts.wheel("staff"), constraints()]


def constraints() -> Item:
    """The versions that everything was tested with, those of tools for the tests left out."""
    path = HOME / CONSTRAINTS
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); the bundle needs it") from None
    kept = [line for line in lines if "==" in line and line.partition("==")[0] not in DEVELOPING]
    return Item(CONSTRAINTS, ("\n".join(kept) + "\n").encode())


@dataclass(frozen=True, slots=True)
class QuizSide:
    """A learner's side of the quiz, by the paths of its files; "" for what there is not.

    `exam` is the page without a key, for what is handed in; `page` and `bank` are for practice, with the key of the
    questions that the instructor allowed.
    """

    items: tuple[Item, ...] = ()
    exam: str = ""
    page: str = ""
    bank: str = ""


def quiz_side(source: Source) -> QuizSide:
    """What learners get of the quiz: pages, and a bank of the questions that may be practised."""
    path = source.root / "quizzes" / f"{source.lesson.slug}.yaml"
    if not path.is_file():
        return QuizSide()
    bank, ids = read_bank(path), source.options.practice_quiz
    exam = Item("quiz.html", quiz_page(bank, mode="exam").encode())
    if not ids:
        return QuizSide((exam,), exam.path)
    kept = Item(f"practice/quizzes/{path.name}", practice_bank(path, ids).encode())
    whole = set(bank.check) <= set(ids)  # then nothing is left to be handed in
    page = Item("quiz.html" if whole else "practice.html", quiz_page(bank, ids, mode="practice").encode())
    return QuizSide(
        (page, kept, *(() if whole else (exam,))), "" if whole else exam.path, page.path, kept.path
    )


def filled(template: str, path: str, source: Source, *, executable: bool = False, **values: object) -> Item:
    """A file made from a template of `templates/bundle/`."""
    text = render(
        f"bundle/{template}",
        source=source,
        lesson=source.lesson,
        options=source.options,
        title=source.title,
        wheel=WHEEL,
        **values,
    )
    return Item(path, text.encode(), executable)
