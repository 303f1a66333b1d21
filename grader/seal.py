"""Sealed answers: everything a grade needs, for a public seed, in one file that holds no reference code.

The file carries the probes, projections of the expected answers and of every known mistake's answers, and
the mistakes' words: enough to compare and to name, useless to copy. With it a grade runs without reference/.
"""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .agreement import Answers
from .errors import InputError, MachineError, of_the_machine
from .hidden import Expected, seal
from .matching import AskVariants
from .probes import Probe
from .reference import Mistake
from .sealing import plain_probe, plain_value, read_plain_value, read_probe
from .transcript import OUTCOMES, Answer, Raised
from .worker.wire import LENGTHS, REQUEST_BLOBS, WireError, pack, unpack

KNOWN_BY = 8  # sums by which a known mistake's tensor is known again
AT_ONCE = 48  # known mistakes asked for in one go, each of a step's probes
MAGIC = b"attention-grader sealed answers 1\n"
FILE_LIMIT = 64 * 2**20  # bytes, unpacked
WORDS = 240  # characters of a crash, enough to know it again


@dataclass(frozen=True, slots=True)
class Sealed:
    """What a sealed file holds."""

    lesson: str
    seed: int
    probes: tuple[Probe, ...]
    want: Mapping[str, Mapping[str, Expected]]
    mistakes: tuple[Mistake, ...]
    ask: AskVariants


def seal_lesson(
    lesson: str,
    seed: int,
    probes: Sequence[Probe],
    *,
    want: Mapping[str, Mapping[str, Expected]],
    mistakes: Sequence[Mistake],
    homes: Mapping[str, Sequence[str]],
    ask: AskVariants,
) -> bytes:
    """A sealed file's bytes. `homes` gives, for each step, the modules its mistakes may live in.

    Raises MachineError when a mistake did not answer everything, which only a lack of time can cause.
    """
    steps: dict[str, object] = {}
    for step in dict.fromkeys(probe.step for probe in probes):
        asked = [probe for probe in probes if probe.step == step and probe.judged and probe.diagnose]
        names = _names(mistakes, homes[step])
        found: dict[str, Answers] = {}
        for start in range(0, len(names), AT_ONCE):
            found |= ask(step, asked, {name: (name,) for name in names[start : start + AT_ONCE]})
        for name, given in found.items():
            if given and any(probe.id not in given for probe in asked):
                raise MachineError(f"the known mistake {name} did not come to its end in {step}: try again")
        table = _table(asked, {name: given for name, given in found.items() if given})
        steps[step] = {**table, "homes": list(homes[step])}
    content = {
        "lesson": lesson,
        "seed": seed,
        "probes": [plain_probe(probe) for probe in probes],
        "want": {
            key: {name: plain_value(seal(v)) for name, v in values.items()} for key, values in want.items()
        },
        "mistakes": [entry.model_dump() for entry in mistakes],
        "steps": steps,
    }
    return MAGIC + zlib.compress(pack(content, REQUEST_BLOBS, head_limit=FILE_LIMIT), 9)


def _names(mistakes: Sequence[Mistake], homes: Sequence[str]) -> list[str]:
    """The mistakes that can be in a step; one with several homes also as it comes from each neighbour alone."""
    names = []
    for entry in mistakes:
        here = [home for home in homes if home in entry.homes]
        names += [entry.id] if here else []
        names += [f"{home}:{entry.id}" for home in here if home != homes[0] and len(entry.homes) > 1]
    return names


def read_sealed(path: Path) -> Sealed:
    """A sealed file. Raises InputError when it is none, or is damaged."""
    try:
        with path.open("rb") as file:
            data = file.read(FILE_LIMIT + 1)
    except OSError as error:
        kind = MachineError if of_the_machine(error) else InputError
        raise kind(f"{path}: cannot be read ({error.strerror})") from None
    if not data.startswith(MAGIC):
        raise InputError(f"{path}: not a file of sealed answers; take the one that came with the bundle")
    try:
        unpacker = zlib.decompressobj()
        frame = unpacker.decompress(data[len(MAGIC) :], FILE_LIMIT)
        if not unpacker.eof:
            raise WireError("cut short, or far too large")
        head, _ = LENGTHS.unpack(frame[: LENGTHS.size])
        content: Any = unpack(
            frame[LENGTHS.size : LENGTHS.size + head], frame[LENGTHS.size + head :], REQUEST_BLOBS
        )
        mistakes = tuple(Mistake.model_validate(item) for item in content["mistakes"])
        probes = tuple(read_probe(item) for item in content["probes"])
        want = {
            key: {name: read_plain_value(value) for name, value in values.items()}
            for key, values in content["want"].items()
        }
        for step, table in content["steps"].items():
            _check(step, table, probes)
        return Sealed(
            str(content["lesson"]), int(content["seed"]), probes, want, mistakes, _asker(content["steps"])
        )
    except (
        zlib.error,
        struct.error,
        ArithmeticError,
        AttributeError,
        LookupError,
        TypeError,
        ValueError,
    ) as error:
        raise InputError(
            f"{path}: damaged ({type(error).__name__}); take a fresh copy of the bundle"
        ) from None


def _table(probes: Sequence[Probe], answers: Mapping[str, Mapping[str, Answer]]) -> dict[str, object]:
    """Answers of many mistakes, each different answer of a probe written once."""
    columns = []
    for probe in probes:
        different: dict[str, int] = {}
        kept: list[object] = []
        rows = []
        for found in answers.values():
            plain = _plain_answer(probe, found[probe.id])
            key = json.dumps(plain, default=_bytes, sort_keys=True)
            if key not in different:
                different[key] = len(kept)
                kept.append(plain)
            rows.append(different[key])
        columns.append({"probe": probe.id, "answers": kept, "rows": rows})
    return {"mistakes": list(answers), "columns": columns}


def _bytes(value: object) -> str:
    return value.hex() if isinstance(value, bytes) else repr(value)


def _plain_answer(probe: Probe, answer: Answer) -> dict[str, object]:
    if answer.outcome != "returned":
        raised = answer.raised
        types, words = (list(raised.types), raised.message) if raised else ([], answer.message)
        return {"outcome": answer.outcome, "types": types, "words": words[:WORDS]}
    kept = {name: answer.values.get(name) for name in probe.report}
    values = {name: plain_value(seal(value, places=False, most=KNOWN_BY)) for name, value in kept.items()}
    return {"outcome": answer.outcome, "values": values, "changed": list(answer.changed)}


def _check(step: str, table: Mapping[str, Any], probes: Sequence[Probe]) -> None:
    """Every mistake of a step answers every probe it is known by. Raises KeyError or ValueError."""
    columns = {column["probe"]: column for column in table["columns"]}
    for probe in probes:
        if probe.step == step and probe.judged and probe.diagnose:
            for place in range(len(table["mistakes"])):
                _answer(columns[probe.id], place)


def _asker(steps: Mapping[str, Any]) -> AskVariants:
    """Answers out of the file; a set of two mistakes, which it does not hold, has none."""

    def ask(
        step: str, probes: Sequence[Probe], sets: Mapping[str, Sequence[str]]
    ) -> Mapping[str, Mapping[str, Answer]]:
        table = steps[step]
        row = {name: place for place, name in enumerate(table["mistakes"])}
        columns = {column["probe"]: column for column in table["columns"]}
        row |= {
            f"{home}:{name}": place
            for name, place in row.items()
            if ":" not in name
            for home in table["homes"]
        } | row
        known = {key: row[ids[0]] for key, ids in sets.items() if len(ids) == 1 and ids[0] in row}
        return {
            key: {probe.id: _answer(columns[probe.id], place) for probe in probes}
            for key, place in known.items()
        }

    return ask


def _answer(column: Mapping[str, Any], place: int) -> Answer:
    plain = column["answers"][column["rows"][place]]
    values: Any = {name: read_plain_value(value) for name, value in plain.get("values", {}).items()}
    outcome = OUTCOMES.get(plain["outcome"], "stopped")
    words = plain.get("words", "")
    raised = Raised(tuple(plain["types"]), words, ()) if outcome == "raised" else None
    return Answer(column["probe"], outcome, values, raised, words, changed=tuple(plain.get("changed", ())))
