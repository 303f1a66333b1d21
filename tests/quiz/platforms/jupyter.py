"""jupyterquiz's entries, marked as its scripts do: check_mc, check_numeric, check_string (2.9)."""

from __future__ import annotations

from typing import Any

Entry = dict[str, Any]


def many(entry: Entry, places: set[int]) -> bool:
    """Whether exactly the right ones were clicked."""
    assert entry["type"] == "many_choice"
    return places == {place for place, answer in enumerate(entry["answers"]) if answer["correct"]}


def one(entry: Entry, place: int) -> tuple[bool, str]:
    assert entry["type"] in ("multiple_choice", "many_choice")
    answer = entry["answers"][place]
    return answer["correct"], answer["feedback"]


def number(entry: Entry, text: str) -> tuple[bool, str]:
    """A fraction is divided; the first value or range that fits says; a range holds its lower end and not its upper."""
    assert entry["type"] == "numeric"
    above, slash, below = text.partition("/")
    value = float(above) / float(below) if slash else float(text)
    for answer in entry["answers"]:
        if "value" in answer and value == answer["value"]:
            return answer["correct"], answer["feedback"]
        if "range" in answer and answer["range"][0] <= value < answer["range"][1]:
            return answer["correct"], answer["feedback"]
    return False, otherwise(entry)


def string(entry: Entry, text: str) -> tuple[bool, str]:
    assert entry["type"] == "string"
    for answer in entry["answers"]:
        if answer.get("type") != "default" and answer["answer"].lower() == text.strip().lower():
            return answer["correct"], answer["feedback"]
    return False, otherwise(entry)


def otherwise(entry: Entry) -> str:
    return next(answer["feedback"] for answer in entry["answers"] if answer.get("type") == "default")
