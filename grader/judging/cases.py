"""What a check sees: the learner's answer to one probe beside the expected one, and what to ask of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from grader.core.own_words import own
from grader.lesson.answers import Answer, FigureValue, Raised, SequenceValue, TensorValue, Value
from grader.lesson.fingerprint import Expected, SealedTensor
from grader.lesson.heat_maps import HeatMap, heat_maps
from grader.lesson.probes import Array, Probe

from .compare import Difference, difference, number, say
from .failure_text import because, crash, nameless, renaming

REFUSALS = ("ValueError", "AssertionError")  # an assert is as good as the ValueError asked for


def unnamed(raised: Raised, mentions: Iterable[object]) -> list[object]:
    """What a refusal's text should name and does not; an assert need not name anything."""
    if "AssertionError" in raised.types:
        return []
    return [m for m in mentions if not re.search(rf"(?<!\w){re.escape(str(m))}(?!\w)", raised.message)]


class Finding(Exception):
    """A criterion that is not met; the text is for the learner."""


class Unreached(Exception):
    """A criterion that could not be judged, because of what the text names."""


class Broken(Exception):
    """A criterion that could not be judged, because the grader or its machine failed; the text says how."""


@dataclass(frozen=True, slots=True)
class Case:
    """One probe with the learner's answer and the expected one.

    `again` is the answer to the same probe in another process, where it was asked for twice.
    """

    probe: Probe
    got: Answer
    want: Mapping[str, Expected]
    again: Answer | None = None

    def agrees(self, *names: str) -> None:
        """The named values are the expected ones: type, shape, dtype and numbers. Raises Finding."""
        self.returned()
        for name in names:
            off = self.off(name)
            if off is not None:
                raise Finding(self.told(name, off))
        if self.again is not None:
            self._repeated(names)

    def off(self, name: str) -> Difference | None:
        """How a value departs from the expected one; None when it does not."""
        return difference(self.probe, name, self.want[name], self._given(name))

    def told(self, name: str, off: Difference) -> str:
        """A difference as a sentence with the case it was seen in."""
        return f"`{name}`: {off.text}. Case: {self.probe.say}."

    def returned(self) -> None:
        """The script came to its end. Raises Finding that says what happened instead."""
        _sound(self.got)
        if self.got.outcome != "returned":
            raise Finding(because(self.probe, self.got))

    def refuses(self, *mentions: object) -> None:
        """A ValueError or an AssertionError was raised; a ValueError's text names all `mentions`."""
        _sound(self.got)
        asked = "expected a ValueError"
        if self.got.outcome in ("absent", "stopped") or self.got.during == "import":
            raise Finding(because(self.probe, self.got))
        raised = self.got.raised
        if raised is None:
            raise Finding(f"{asked}, but nothing was raised. Case: {self.probe.say}.")
        if not any(kind in REFUSALS for kind in raised.types):
            raise Finding(f"{asked}, got {crash(raised)}. Case: {self.probe.say}.")
        if unnamed(raised, mentions):
            named = " and ".join(map(str, mentions))
            raise Finding(
                f"the ValueError should name both numbers, {named}; it says: {own(repr(raised.message))}"
            )

    def untouched(self) -> None:
        """The inputs are after the call what they were before. Raises Finding."""
        self.returned()
        if self.got.changed:
            names = own(", ".join(f"`{name}`" for name in self.got.changed))
            raise Finding(
                f"inputs should stay as they are; the call changed {names}. Case: {self.probe.say}."
            )

    def finite(self, *names: str) -> None:
        """The named gradients came, without NaN or infinity; a zero one need not come. Raises Finding."""
        self.returned()
        for name in names:
            if self._given(name) is None and not _largest(self.want[name]):
                continue
            self._reached(name)
            array = self.array(name)
            odd = int((~np.isfinite(array)).sum())
            if odd:
                where = f"NaN or infinite in {odd} of {array.size} places"
                raise Finding(f"the gradient of `{_owner(name)}` is {where}. Case: {self.probe.say}.")

    def array(self, name: str) -> NDArray[np.float64]:
        """A value of the learner's as float64. Raises Finding when it is no tensor with numbers."""
        value = self.value(name)
        if not isinstance(value, TensorValue) or value.array is None:
            raise Finding(f"`{name}` should be a tensor, got {say(value)}. Case: {self.probe.say}.")
        return np.asarray(value.array, dtype=np.float64)

    def gradients(self, *names: str) -> None:
        """Each named gradient is there and is the expected one. Raises Finding."""
        self.returned()
        for name in names:
            self._reached(name)
            off = self.off(name)
            if off is not None:
                raise Finding(f"the gradient of `{_owner(name)}`: {off.text}. Case: {self.probe.say}.")

    def portable(self, *names: str) -> None:
        """The named values are the expected ones on a second device, and stay there. Raises Finding."""
        raised = self.got.raised
        if raised is not None and self.got.during != "import" and _mixes_devices(raised):
            raise Finding(
                "a tensor or weight stays on the CPU when the inputs are on another device"
                f"{_where(raised)}: {own(raised.message.splitlines()[0][:200])}"
            )
        self.agrees(*names)
        for name in names:
            value = self.value(name)
            if isinstance(value, TensorValue) and value.device != self.probe.device:
                raise Finding(
                    f"`{name}` came back on {own(value.device)}, the inputs were on another device."
                )

    def names(self) -> None:
        """The weights have the names that are asked for. Raises Finding that spells out what to rename."""
        self.returned()
        if self.got.renamed:
            raise Finding(renaming(self.got))

    def value(self, name: str) -> Value:
        """A value of the learner's, as it came. Raises Finding when there are none."""
        self.returned()
        return self._given(name)

    def flag(self, name: str) -> bool:
        """A fact told by the guest's side: True, or a list with something in it."""
        value = self.value(name)
        return value.length > 0 if isinstance(value, SequenceValue) else value is True

    def texts(self, name: str) -> tuple[str, ...]:
        """A list of texts told by the guest's side."""
        value = self.value(name)
        return tuple(str(item) for item in value.items) if isinstance(value, SequenceValue) else ()

    def input(self, name: str) -> Array:
        """One of the probe's own tensors."""
        return self.probe.tensors[name]

    def pictures(self, name: str) -> tuple[HeatMap, ...]:
        """The heat maps of a figure. Raises Finding when the value is no figure."""
        value = self.value(name)
        if not isinstance(value, FigureValue):
            raise Finding(f"expected a matplotlib Figure, got {say(value)}. Case: {self.probe.say}.")
        return heat_maps(value)

    def fail(self, text: str) -> Finding:
        """A finding of a check's own words, with the case it was seen in."""
        return Finding(f"{text}. Case: {self.probe.say}.")

    def _given(self, name: str) -> Value:
        """A reported value; KeyError for a name the probe does not report, which no answer can hold."""
        if name not in self.probe.report:
            raise KeyError(f"{self.probe.id} does not report {name}")
        return self.got.values.get(name)

    def _reached(self, name: str) -> None:
        if self._given(name) is None and self.want[name] is not None:
            raise Finding(
                f"no gradient reaches `{_owner(name)}`: the graph is cut on its way. Case: {self.probe.say}."
            )

    def _repeated(self, names: Sequence[str]) -> None:
        assert self.again is not None
        _sound(self.again)
        if self.again.outcome != "returned":
            raise Finding(
                f"the same call in a fresh process ended otherwise: {because(self.probe, self.again)}"
            )
        for name in names:
            off = difference(self.probe, name, self.want[name], self.again.values.get(name))
            if off is not None:
                raise Finding(f"the same call in a fresh process gave another answer. {self.told(name, off)}")


Select = Callable[[str], list[Case]]


def _sound(answer: Answer) -> None:
    """It was asked at all, and had its weights. Raises Broken, Unreached."""
    if answer.outcome == "broken":
        raise Broken(answer.message)
    if nameless(answer):
        raise Unreached("waits for weights that can be found by their names")


def _mixes_devices(raised: Raised) -> bool:
    return any(sign in raised.message for sign in ("same device", "at least two devices"))


def _owner(name: str) -> str:
    """`x` of `d_x`, the name of its gradient."""
    return name.removeprefix("d_")


def _largest(value: Expected) -> float:
    """The largest magnitude of an expected tensor, 0 for what is none."""
    if isinstance(value, SealedTensor):
        return value.largest
    if isinstance(value, TensorValue) and value.array is not None:
        return float(np.abs(np.asarray(value.array, np.float64)).max(initial=0.0))
    return 0.0


def _where(raised: Raised) -> str:
    return f" ({raised.lines[-1].path}, line {raised.lines[-1].number})" if raised.lines else ""


__all__ = ["Broken", "Case", "Finding", "Select", "Unreached", "number", "unnamed"]
