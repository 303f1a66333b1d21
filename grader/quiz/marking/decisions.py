"""What people decided about answers that no rule could mark: kept with who and when, applied to equal answers."""

from __future__ import annotations

import hashlib
import json
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from pydantic import Field, ValidationError

from grader.core.errors import InputError
from grader.core.files import write_text
from grader.core.records import Frozen
from grader.quiz.drawing.drawn import Drawn
from grader.quiz.expressions.notation import folded
from grader.quiz.questions.marked import Verdict

from .answers import read_answer

__all__ = [
    "DECISIONS_FILE",
    "Decision",
    "Decisions",
    "answer_key",
    "decided",
    "read_decisions",
    "write_decisions",
]

DECISIONS_FILE = "quiz-decisions.json"
Ruling = Literal["correct", "partial", "incorrect"]
MAX_BYTES = 64 * 2**20
SHOWN = 2_000  # characters of an answer that are kept for people to read; the key stands for all of it


class Decision(Frozen):
    """One person's decision about one answer to one question, and about all that equal it."""

    quiz: str
    question: str
    key: str
    answer: str
    outcome: Ruling
    share: Annotated[float, Field(ge=0, le=1)]
    by: str
    at: str
    note: str = ""

    def verdict(self) -> Verdict:
        """The verdict that the decision stands for."""
        who = f"Decided by {self.by} on {self.at[:10]}."
        return Verdict(self.outcome, self.share, f"{self.note} {who}".strip())


class Decisions(Frozen):
    """All decisions, oldest first; of several about one answer the last one counts, the others stay on record."""

    version: Literal[1] = 1
    decisions: tuple[Decision, ...] = ()

    def find(self, quiz: str, question: str, key: str) -> Decision | None:
        """The decision that counts for an answer."""
        for decision in reversed(self.decisions):
            if (decision.quiz, decision.question, decision.key) == (quiz, question, key):
                return decision
        return None

    def with_one(self, decision: Decision) -> Decisions:
        """These decisions and one more."""
        return Decisions(decisions=(*self.decisions, decision))


def answer_key(drawn: Drawn, value: object, apart: str = "") -> str:
    """The same for answers that are equal but for case, dress and spaces, to one draw of a question.

    `apart` is why an answer is no equal of others', "" for most.
    """
    answer = read_answer(value)
    parts = [drawn.prompt if drawn.values else "", *(folded(part) for part in answer.parts)]
    parts += [apart] if apart else []
    return hashlib.sha256("\x1f".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


def decided(
    drawn: Drawn, quiz: str, value: object, verdict: Ruling, share: float, by: str, apart: str = ""
) -> Decision:
    """A decision made now; `apart` as for `answer_key`."""
    text = read_answer(value).text[:SHOWN].encode("utf-8", "replace").decode()
    at = datetime.now().astimezone().isoformat(timespec="seconds")
    key = answer_key(drawn, value, apart)
    return Decision(
        quiz=quiz,
        question=drawn.id,
        key=key,
        answer=text,
        outcome=verdict,
        share=share,
        by=by,
        at=at,
    )


def read_decisions(path: Path) -> Decisions:
    """The decisions in `path`, none where there is no such file. Raises InputError."""
    if not path.exists():
        return Decisions()
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InputError(f"{path}: larger than {MAX_BYTES // 2**20} MiB; no file of decisions is")
        return Decisions.model_validate_json(path.read_bytes())
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check the file") from None
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"])) or "the file"
        raise InputError(
            f"{path}: no file of decisions ({where}: {first['msg']}); correct or move it"
        ) from None


def write_decisions(path: Path, decisions: Decisions) -> None:
    """Write the decisions, whole or not at all. Raises InputError."""
    write_text(path, json.dumps(decisions.model_dump(), ensure_ascii=True, indent=1) + "\n")
