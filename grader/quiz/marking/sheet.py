"""Answer sheets: `{learner: str, answers: {question id: answer}}` in safe YAML 1.1 or JSON."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from grader.core.errors import InputError
from grader.core.text import printable

__all__ = ["Sheet", "none_left", "read_sheet"]

MAX_BYTES = 64 * 2**20
MAX_DEPTH = 40
PLAIN_TAGS = frozenset(
    f"tag:yaml.org,2002:{name}" for name in ("str", "int", "float", "bool", "null", "seq", "map")
)
DATE_TAG = "tag:yaml.org,2002:timestamp"
_NUMBER = re.compile(r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")

# `kc-01: -` is no YAML, and a blank answer all the same
_DASH = re.compile(r"^([ \t]*[\w'\" -]+:[ \t]+)-(?=[ \t]*(?:#.*)?\r?$)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Sheet:
    """One learner's answers; a scalar stands as the text that was written, ids in lower case.

    `seed`, `quiz` and `drawn_for` are what a sheet may say of the questions it answers: a page for everybody is drawn
    for nobody (""), whoever fills it in; where a sheet says nothing, it was drawn for its learner. A date or a NaN,
    a mapping or a list in a list stay what they are, for a person to read.
    """

    name: str
    learner: str
    answers: Mapping[str, object]
    quiz: str | None = None
    seed: int | None = None
    drawn_for: str | None = None

    @property
    def borrowed(self) -> str:
        """That it was drawn for somebody else than its learner, in words; "" where it was not."""
        if not self.drawn_for or _folded(self.drawn_for) == _folded(self.learner):
            return ""
        return f"the sheet was drawn for {printable(self.drawn_for, 60)!r}, not for {printable(self.learner, 60)!r}"


def _folded(name: str) -> str:
    return " ".join(unicodedata.normalize("NFC", name).split()).casefold()


def read_sheet(path: Path) -> Sheet:
    """The sheet in `path`. Raises InputError, one line, for a file that cannot be used."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "no such path"
        raise InputError(f"{path}: cannot be read ({reason}); check the file") from None
    shown = printable(str(path), 200)
    if len(data) > MAX_BYTES:
        raise InputError(f"{shown}: larger than {MAX_BYTES // 2**20} MiB; no answer sheet is")
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\0" in data[:2]:
        raise InputError(f"{shown}: it is UTF-16, not UTF-8; save the sheet as UTF-8")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{shown}: byte {error.start} is not UTF-8; save the sheet as UTF-8") from None
    if not text.strip():
        raise InputError(f"{shown}: the sheet is empty; write `learner: ...` and `answers: ...`")
    fields = _fields(text, shown)
    return _sheet(path, shown, fields)


def none_left(refused: list[str], noun: str) -> InputError:
    """That nothing is left to work on: the only reason, or the first and how many more there are."""
    if not refused:
        return InputError(f"no {noun} among the files; name at least one")
    more = f" (and {len(refused) - 1} more that cannot be used)" if len(refused) > 1 else ""
    return InputError(f"{refused[0]}{more}")


def _sheet(path: Path, shown: str, fields: Mapping[str, object]) -> Sheet:
    answers = fields.get("answers")
    if answers is None:
        if "answers" not in fields:
            raise InputError(f"{shown}: no `answers` in it; write `answers:` and the ids below it")
        answers = {}
    if not isinstance(answers, Mapping):
        raise InputError(f"{shown}: `answers` must be a mapping of question ids to answers")
    learner, quiz, seed = (fields.get(name) for name in ("learner", "quiz", "seed"))
    name = learner.strip() if isinstance(learner, str) else ""
    drawn_for = fields.get("drawn_for")
    if isinstance(drawn_for, str) and not drawn_for.strip():
        drawn_for = ""
    by_id: dict[str, object] = {}
    for key, value in answers.items():
        folded = key.strip().casefold()
        if folded in by_id:
            raise InputError(f"{shown}: the id `{printable(folded, 60)}` stands there twice; keep one")
        by_id[folded] = value
    return Sheet(
        name=path.name,
        learner=name or path.stem,
        answers=by_id,
        quiz=quiz.strip() if isinstance(quiz, str) and quiz.strip() else None,
        seed=int(seed) if isinstance(seed, str) and re.fullmatch(r"\d{1,18}", seed) else None,
        drawn_for=drawn_for if isinstance(drawn_for, str) else None,
    )


def _fields(text: str, shown: str) -> Mapping[str, object]:
    """The top mapping; JSON by JSON's rules where it is JSON, YAML by YAML's otherwise."""
    if text.lstrip()[0] in "{[":
        try:
            data = json.loads(
                text,
                object_pairs_hook=lambda pairs: _mapping(pairs, shown),
                parse_int=str,
                parse_float=str,
                parse_constant=float,
            )
        except json.JSONDecodeError:
            pass  # a flow mapping of YAML, perhaps
        except RecursionError:
            raise InputError(f"{shown}: nested too deeply; no answer sheet is") from None
        else:
            if not isinstance(data, dict):
                raise InputError(f"{shown}: a mapping with `learner` and `answers` is expected")
            return {key: _written(value) for key, value in data.items()}
    return _from_yaml(text, shown)


def _mapping(pairs: list[tuple[str, Any]], shown: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise InputError(f"{shown}: the id `{printable(key, 60)}` stands there twice; keep one")
        found[key] = value
    return found


def _written(value: object) -> object:
    """A JSON value with its truth values as the words that stood there and no broken characters."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return value.encode("utf-8", "replace").decode()
        case list():
            return [_written(item) if not isinstance(item, list | dict) else item for item in value]
        case dict():
            return {_written(key): _written(item) for key, item in value.items()}
        case _:
            return value


def _from_yaml(text: str, shown: str) -> Mapping[str, object]:
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        for line, problem in _refused(yaml.parse(text, Loader=loader)):
            raise InputError(f"{shown}, line {line}: {problem}")
        node = yaml.compose(text, Loader=loader)
    except yaml.MarkedYAMLError as error:
        mended = _DASH.sub(r"\1'-'", text)
        if mended != text:
            return _from_yaml(mended, shown)
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        problem = printable(str(error.problem or error.context or "not readable"), 200)
        raise InputError(f"{shown}, line {line}: not valid YAML ({problem}); correct the line") from None
    except yaml.YAMLError as error:
        reason = printable(str(error).splitlines()[0], 200)
        raise InputError(f"{shown}: not valid YAML ({reason}); correct the file") from None
    if not isinstance(node, yaml.MappingNode):
        raise InputError(f"{shown}: a mapping with `learner` and `answers` is expected")
    top = dict(_pairs(node, shown))
    answers = top.get("answers")
    found: dict[str, object] = {key: _value(item) for key, item in top.items() if key != "answers"}
    if isinstance(answers, yaml.MappingNode):
        found["answers"] = {key: _value(item) for key, item in _pairs(answers, shown)}
    elif answers is not None:
        found["answers"] = _value(answers)
    return found


def _refused(events: Iterator[yaml.Event]) -> Iterator[tuple[int, str]]:
    """What no sheet may hold, found before anything is built."""
    depth = documents = 0
    for event in events:
        line = event.start_mark.line + 1 if event.start_mark else 1
        documents += isinstance(event, yaml.DocumentStartEvent)
        if documents > 1:
            yield line, "a second document begins here; keep one"
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > MAX_DEPTH:
            yield line, f"nested more than {MAX_DEPTH} deep; no answer sheet is"
        tag = getattr(event, "tag", None)
        if tag not in (None, "!", DATE_TAG) and tag not in PLAIN_TAGS:
            short = printable(tag.replace("tag:yaml.org,2002:", "!!"), 80)
            yield line, f"the tag {short} builds an object; remove it"


def _pairs(node: yaml.MappingNode, shown: str) -> Iterator[tuple[str, yaml.Node]]:
    seen: set[str] = set()
    for key, value in node.value:
        line = key.start_mark.line + 1
        if not isinstance(key, yaml.ScalarNode):
            raise InputError(f"{shown}, line {line}: an id must be a word, not a list or a mapping")
        if key.value in seen:
            raise InputError(
                f"{shown}, line {line}: `{printable(key.value, 60)}` stands there twice; keep one"
            )
        seen.add(key.value)
        yield key.value, value


def _value(node: yaml.Node) -> object:
    """A scalar as written, a list of these, or something that only a person can read."""
    if isinstance(node, yaml.ScalarNode):
        return _scalar(node)
    if isinstance(node, yaml.SequenceNode):
        return [_scalar(item) if isinstance(item, yaml.ScalarNode) else _inner(item) for item in node.value]
    return {}


def _inner(node: yaml.Node) -> object:
    """What stands in a list and is no scalar, without what it holds."""
    return [] if isinstance(node, yaml.SequenceNode) else {}


def _scalar(node: yaml.ScalarNode) -> object:
    kind = node.tag.rpartition(":")[2]
    if kind == "null":
        return None
    if kind == "timestamp":
        import datetime

        return datetime.date.min
    if kind in ("int", "float") and not _NUMBER.fullmatch(node.value):
        return _odd_number(node)
    return node.value.encode("utf-8", "replace").decode()


def _odd_number(node: yaml.ScalarNode) -> object:
    """A number written as 0x10, 1_000 or .nan by its value; 12:30 stays the text that it is."""
    if ":" in node.value:
        return node.value
    try:
        value = yaml.safe_load(node.value)
    except (yaml.YAMLError, ValueError):
        return node.value
    return value if isinstance(value, int | float) else node.value
