"""Chance that comes out the same on every machine and every Python: SHA-256 in counter mode."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from typing import TypeVar

__all__ = ["Chance"]

T = TypeVar("T")
WORD = 2**64


class Chance:
    """A stream of numbers that depends on nothing but `parts`."""

    def __init__(self, *parts: str | int) -> None:
        self._key = hashlib.sha256(json.dumps(parts).encode("ascii")).digest()
        self._count = 0

    def below(self, limit: int) -> int:
        """A whole number from 0 to limit - 1, each as likely as the next; `limit` is at most 2**64."""
        fair = WORD - WORD % limit
        while True:
            block = hashlib.sha256(self._key + self._count.to_bytes(8, "big")).digest()
            self._count += 1
            number = int.from_bytes(block[:8], "big")
            if number < fair:
                return number % limit

    def order(self, count: int) -> Iterator[int]:
        """The numbers 0 to count - 1, each once, in an order of chance; what is not asked for costs nothing.

        Fisher and Yates's shuffle, of which only the entries that moved are kept.
        """
        moved: dict[int, int] = {}
        for last in range(count - 1, -1, -1):
            chosen = self.below(last + 1)
            yield moved.get(chosen, chosen)
            moved[chosen] = moved.pop(last, last)

    def shuffled(self, things: Sequence[T]) -> tuple[T, ...]:
        """The things in an order of chance."""
        return tuple(things[place] for place in self.order(len(things)))
