"""The questions that an instructor lets learners practise: the only ones whose key a learner's bundle may hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import yaml

from grader.core.errors import InputError, LessonError
from grader.quiz.bank.bank import read_bank

CHECK = "check"  # in place of ids: the lesson's Knowledge Check
QUESTIONS, SELECTION = "questions", "check"  # fields of a bank
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the quick one, where it is there
MARK = "#"  # before a question's id, which no field's name begins with


def practised(bank: Path, asked: Sequence[str]) -> tuple[str, ...]:
    """The ids of the questions that were asked for, in that order. Raises InputError, LessonError."""
    if not asked:
        return ()
    if not bank.is_file():
        raise InputError(
            f"{bank}: the lesson has no quiz, so there is nothing to practise; leave practice_quiz out"
        )
    read = read_bank(bank)
    ids = [name for word in asked for name in (read.check if word.strip().casefold() == CHECK else (word,))]
    return tuple(question.id for question in read.select(ids))


def practice_bank(bank: Path, ids: Sequence[str]) -> str:
    """A bank of these questions and no others, as the bank's own lines.

    Raises LessonError where they cannot be cut out.
    """
    parts = dict(_parts(bank))
    head = "".join(
        text for name, text in parts.items() if name not in (QUESTIONS, SELECTION) and name[:1] != MARK
    )
    made = f"{head}{SELECTION}: [{', '.join(ids)}]\n{QUESTIONS}:\n" + "".join(
        parts[MARK + name] for name in ids
    )
    whole = yaml.load(bank.read_text("utf-8-sig"), LOADER)
    by_id = {question["id"]: question for question in whole[QUESTIONS]}
    wanted = {**whole, SELECTION: list(ids), QUESTIONS: [by_id[name] for name in ids]}
    if yaml.load(made, LOADER) != wanted:
        raise LessonError(f"{bank}: cannot cut questions out; begin each with `- id:` on a line of its own")
    return made


def practice_lines(bank: Path, ids: Iterable[str]) -> set[str]:
    """The bank's lines that may go out with these questions: theirs, and what stands beside all questions."""
    wanted = {MARK + name for name in ids}
    texts = [
        text for name, text in _parts(bank) if name in wanted or (name[:1] != MARK and name != QUESTIONS)
    ]
    return {line for text in texts for line in text.splitlines()} if wanted else set()


def _parts(bank: Path) -> Iterator[tuple[str, str]]:
    """The bank's text by what it is about: a field by its name, a question by `MARK` and its id."""
    text = bank.read_text("utf-8-sig")
    lines = text.splitlines(keepends=True)
    root = yaml.compose(text, LOADER)
    assert isinstance(root, yaml.MappingNode)
    fields = [(str(key.value), key.start_mark.line) for key, _ in root.value]
    for (name, start), (_, end) in zip(fields, [*fields[1:], ("", len(lines))], strict=True):
        yield name, _without_comments_after(lines[start:end], 1)
    questions = next(value for key, value in root.value if key.value == QUESTIONS)
    starts = [node.start_mark.line for node in questions.value]
    for node, start, end in zip(questions.value, starts, [*starts[1:], questions.end_mark.line], strict=True):
        name = next(str(value.value) for key, value in node.value if key.value == "id")
        yield MARK + name, _without_comments_after(lines[start : max(end, start + 1)], node.start_mark.column)


def _without_comments_after(lines: list[str], column: int) -> str:
    """The lines up to the last that belongs to what begins in this column; a heading of what follows does not."""
    kept = list(lines)
    while kept and (
        not kept[-1].strip() or (_indent(kept[-1]) < column and kept[-1].lstrip().startswith("#"))
    ):
        kept.pop()
    return "".join(kept)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())
