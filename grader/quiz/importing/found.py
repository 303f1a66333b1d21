"""A question as it was found in a file, whatever the file's format."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["Fields", "Found"]

Fields = dict[str, Any]  # of a kind of question, as a bank's YAML writes them


@dataclass(slots=True)
class Found:
    """One question of a file: what all kinds have; `notes` are for who marks it."""

    name: str
    prompt: str
    explanation: str = ""
    points: float = 1.0
    tags: list[str] = field(default_factory=list)
    notes: str = ""

    def tag(self, name: str) -> str:
        """What a tag `name:value` says; "" where there is none."""
        return next((tag.partition(":")[2] for tag in self.tags if tag.startswith(f"{name}:")), "")
