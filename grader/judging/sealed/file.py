"""Sealed answers: everything a grade needs, for a public seed, in one file that holds no reference code.

It carries the probes, projections of the expected and of every known mistake's answers, and the mistakes'
words: enough to compare and to name. It is for practice all the same: whoever has right answers for the public seed
can hand them on. What the mistakes answer lies apart, a part a probe, and
is read only where a step is wrong, answer by answer.
"""

from __future__ import annotations

import functools
import struct
import zlib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.core.errors import InputError, MachineError, of_the_machine
from grader.judging.diagnosis.matching import AskVariants
from grader.judging.diagnosis.suspect import Answers
from grader.judging.tolerance import tolerance
from grader.lesson.answers import Answer
from grader.lesson.fingerprint import Expected, seal
from grader.lesson.probes import Probe
from grader.lesson.reference import Mistake
from grader.worker.wire import LENGTHS, REQUEST_BLOBS, WireError, pack, unpack

from .columns import Column, KnownAnswers, read_column
from .sealing import plain_probe, plain_value, read_plain_value, read_probe

AT_ONCE = 160  # known mistakes asked for in one go, each of a step's probes
MAGIC = b"attention-grader sealed answers 4\n"
SIZE = struct.Struct("<I")  # of the first part, whose list of the others follows it
FILE_LIMIT = 64 * 2**20  # bytes, of the file and of each part unpacked
# What a damaged file makes the reading raise.
DAMAGE = (zlib.error, struct.error, ArithmeticError, AttributeError, LookupError, TypeError, ValueError)


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
    asked = {step: _known_by(probes, step) for step in dict.fromkeys(probe.step for probe in probes)}
    parts, steps = list[bytes](), dict[str, object]()
    for step, made, columns in _columns(asked, {step: _names(mistakes, homes[step]) for step in asked}, ask):
        listed = []
        for probe, column in zip(asked[step], columns, strict=True):
            part = _packed(column.plain())
            parts.append(part)
            listed.append({"probe": probe.id, "size": len(part), "crc": zlib.crc32(part)})
        steps[step] = {"mistakes": made, "homes": list(homes[step]), "columns": listed}
    by_id = {probe.id: probe for probe in probes}
    content = {
        "lesson": lesson,
        "seed": seed,
        "probes": [plain_probe(probe) for probe in probes],
        "want": {
            key: {name: plain_value(_locked(by_id[key], v)) for name, v in values.items()}
            for key, values in want.items()
        },
        "mistakes": [entry.model_dump() for entry in mistakes],
        "steps": steps,
    }
    first = _packed(content)
    return b"".join([MAGIC, SIZE.pack(len(first)), first, *parts])


def _locked(probe: Probe, value: Expected) -> Expected:
    """An expected value, sealed so that whoever has no answer cannot make one that passes."""
    return seal(value, allowed=lambda largest: tolerance(probe, largest).absolute, salt=probe.id)


def _known_by(probes: Sequence[Probe], step: str) -> list[Probe]:
    """The probes by which a step's mistakes are known."""
    return [probe for probe in probes if probe.step == step and probe.judged and probe.diagnose]


def _columns(
    asked: Mapping[str, Sequence[Probe]], names: Mapping[str, Sequence[str]], ask: AskVariants
) -> Iterator[tuple[str, list[str], list[Column]]]:
    """Every step's mistakes and a column a probe, put together while the next ones are being asked."""

    def answers(step: str, batch: Sequence[str]) -> Mapping[str, Answers]:
        found = ask(step, asked[step], {name: (name,) for name in batch})
        for name, given in found.items():
            if given and any(probe.id not in given for probe in asked[step]):
                raise MachineError(f"the known mistake {name} did not come to its end in {step}: try again")
        return {name: given for name, given in found.items() if given}

    ahead = ThreadPoolExecutor(1)
    try:
        coming = {
            step: [
                ahead.submit(answers, step, here[start : start + AT_ONCE])
                for start in range(0, len(here), AT_ONCE)
            ]
            for step, here in names.items()
        }
        for step, parts in coming.items():
            made, columns = list[str](), [Column(probe) for probe in asked[step]]
            for found in (part.result() for part in parts):
                made += found
                for probe, column in zip(asked[step], columns, strict=True):
                    for given in found.values():
                        column.add(given[probe.id])
            yield step, made, columns
    finally:
        ahead.shutdown(cancel_futures=True)


def _packed(content: Mapping[str, object]) -> bytes:
    return zlib.compress(pack(content, REQUEST_BLOBS, head_limit=FILE_LIMIT), 9)


def _unpacked(data: bytes) -> Any:
    """What `_packed` packed. Raises one of DAMAGE for anything else."""
    unpacker = zlib.decompressobj()
    frame = unpacker.decompress(data, FILE_LIMIT)
    if not unpacker.eof or unpacker.unused_data:
        raise WireError("cut short, or far too large")
    head, _ = LENGTHS.unpack(frame[: LENGTHS.size])
    return unpack(frame[LENGTHS.size : LENGTHS.size + head], frame[LENGTHS.size + head :], REQUEST_BLOBS)


def _names(mistakes: Sequence[Mistake], homes: Sequence[str]) -> list[str]:
    """The mistakes that can be in a step; one with several homes also as it comes from each neighbour alone."""
    names = []
    for entry in mistakes:
        here = [home for home in homes if home in entry.homes]
        names += [entry.id] if here else []
        names += [f"{home}:{entry.id}" for home in here if home != homes[0] and len(entry.homes) > 1]
    return names


def laid_open(data: bytes) -> list[bytes]:
    """The parts of a file's bytes as they lie in it, unpacked and not understood; for whoever searches them.

    Up to where the file is damaged, if it is.
    """
    found = []
    left = data[len(MAGIC) + SIZE.size :]
    while left:
        unpacker = zlib.decompressobj()
        try:
            found.append(unpacker.decompress(left, FILE_LIMIT))
        except zlib.error:
            break
        left = unpacker.unused_data
    return found


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
        start = len(MAGIC) + SIZE.size
        first = start + SIZE.unpack(data[len(MAGIC) : start])[0]
        content = _unpacked(data[start:first])
        mistakes = tuple(Mistake.model_validate(item) for item in content["mistakes"])
        probes = tuple(read_probe(item) for item in content["probes"])
        want = {
            key: {name: read_plain_value(value) for name, value in values.items()}
            for key, values in content["want"].items()
        }
        ask = _asker(path, content["steps"], _parts(content["steps"], data[first:]))
        lesson, seed = str(content["lesson"]), int(content["seed"])
    except DAMAGE as error:
        raise _damaged(path, error) from None
    return Sealed(lesson, seed, probes, want, mistakes, ask)


def _damaged(path: Path, error: BaseException) -> InputError:
    return InputError(f"{path}: damaged ({type(error).__name__}); take a fresh copy of the bundle")


def _parts(steps: Mapping[str, Any], data: bytes) -> dict[tuple[str, str], bytes]:
    """Each column's part, by step and probe, as it is in the file. Raises WireError where they are not whole."""
    parts: dict[tuple[str, str], bytes] = {}
    start = 0
    for step, known in steps.items():
        for facts in known["columns"]:
            key, part = (step, facts["probe"]), data[start : start + max(facts["size"], 0)]
            if zlib.crc32(part) != facts["crc"] or key in parts:
                raise WireError("a part is not what was written")
            parts[key] = part
            start += len(part)
    if start != len(data):
        raise WireError("more than was written")
    return parts


def _rows(known: Mapping[str, Any]) -> dict[str, int]:
    """Each mistake's row, also as it is called where it is made at one of its homes."""
    rows = {name: row for row, name in enumerate(known["mistakes"])}
    for name, row in list(rows.items()):
        for home in known["homes"] if ":" not in name else ():
            rows.setdefault(f"{home}:{name}", row)
    return rows


def _asker(path: Path, steps: Mapping[str, Any], parts: Mapping[tuple[str, str], bytes]) -> AskVariants:
    """Answers out of the file; a set of two mistakes, which it does not hold, has none."""
    rows = {step: _rows(known) for step, known in steps.items()}

    @functools.cache
    def column(step: str, probe: str) -> KnownAnswers:
        return read_column(_unpacked(parts[step, probe]), probe, len(steps[step]["mistakes"]))

    @functools.cache
    def answer(step: str, probe: str, number: int) -> Answer:
        return column(step, probe).answer(number)

    def ask(
        step: str, probes: Sequence[Probe], sets: Mapping[str, Sequence[str]]
    ) -> Mapping[str, Mapping[str, Answer]]:
        try:
            mine = rows[step]
            known = {key: mine[ids[0]] for key, ids in sets.items() if len(ids) == 1 and ids[0] in mine}
            return {
                key: {p.id: answer(step, p.id, column(step, p.id).number(row)) for p in probes}
                for key, row in known.items()
            }
        except DAMAGE as error:
            raise _damaged(path, error) from None

    return ask
