from __future__ import annotations

import ast
from collections.abc import Iterator

import pytest

from grader.course.audit.mutants import Mutant, mutants
from grader.course.audit.problems import pieces

SOURCE = '''"""A step."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def attend(q: Tensor, k: Tensor, mask: Tensor | None = None, heads: tuple[int, ...] = (0, 1)) -> Tensor:
    """Scores, scaled."""
    if q.shape[-1] != k.shape[-1] or not heads:
        raise ValueError(f"{q.shape[-1]} is not {k.shape[-1]}")
    scores = q / math.sqrt(q.shape[-1]) @ k.transpose(-2, -1).contiguous()
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    with torch.no_grad():
        first, second = scores.max(-1, keepdim=True)
    for head in heads:
        scores = scores - head
    return scores.softmax(dim=-1)


class Module(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.one = nn.Linear(width, width, bias=False)
        self.two = nn.Linear(width, width, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.two(self.one(x))
'''


def made(source: str = SOURCE) -> tuple[Mutant, ...]:
    return mutants("attend", "attend.py", source)


def changes(operator: str) -> Iterator[tuple[str, str]]:
    """What an operator takes out and puts in, without what stays."""
    for mutant in made():
        if mutant.operator == operator:
            yield pieces(mutant.was, mutant.now)[1:3]


def test_mutants_parse_and_differ_from_the_original_and_from_each_other() -> None:
    original = ast.dump(ast.parse(SOURCE))
    found = [ast.dump(ast.parse(mutant.source)) for mutant in made()]
    assert len(found) > 150
    assert original not in found
    assert len(set(found)) == len(found)


def test_a_mutant_differs_where_it_says() -> None:
    lines = ast.unparse(ast.parse(SOURCE)).splitlines()
    for mutant in made():
        assert 1 <= mutant.line <= len(SOURCE.splitlines())
        was = [line.strip() for line in mutant.was.splitlines()]
        assert all(line in map(str.strip, lines) for line in was)
        rest = [line.strip() for line in mutant.source.splitlines()]
        assert all(line.strip() in rest for line in mutant.now.splitlines())


def test_ids_are_unique_and_begin_with_the_step() -> None:
    names = [mutant.id for mutant in made()]
    assert len(set(names)) == len(names)
    assert all(name.startswith("attend/") for name in names)


def test_ids_stay_when_something_else_changes() -> None:
    edited = SOURCE.replace('"""A step."""', '"""A step, told in other words."""\n\n# A comment.')
    edited = edited.replace("class Module", "def other(x: int) -> int:\n    return x + 1\n\n\nclass Module")
    before, after = {m.id for m in made()}, {m.id: m for m in made(edited)}
    assert before < set(after)
    assert all("x" in after[name].was for name in set(after) - before)


def test_an_id_goes_with_the_line_it_was_made_in() -> None:
    edited = SOURCE.replace("scores - head", "scores - 2 * head")
    lost = {mutant.id: mutant for mutant in made()}
    for mutant in made(edited):
        lost.pop(mutant.id, None)
    assert lost
    assert all("scores - head" in mutant.was for mutant in lost.values())


@pytest.mark.parametrize(
    ("operator", "was", "now"),
    [
        ("arithmetic", "/", "*"),
        ("comparison", "!", "="),
        ("logic", "or not heads", "and (not heads)"),
        ("constant", "2", "3"),
        ("dropped call", ".softmax(dim=-1)", ""),
        ("dropped call", ".contiguous()", ""),
        ("doubled call", "", ".softmax(dim=-1)"),
        ("dropped keyword", "dim=-1", ""),
        ("another name", "q", "k"),
        ("another attribute", "two", "one"),
        ("negated condition", "", "not "),
        ("default", "0, 1", "1, 0"),
        ("dropped default", "=None", ""),
        ("unary", "~", ""),
        ("in place", "", "_"),
        ("target order", "first, second", "second, first"),
        ("another error", "Valu", "Typ"),
        ("loop", "heads", "list(heads)[1:]"),
        ("inserted call", "", ".detach()"),
        ("dropped base", "(nn.Module)", ""),
        ("parameter order", "q: Tensor, k", "k: Tensor, q"),
    ],
)
def test_each_operator_makes_its_slip(operator: str, was: str, now: str) -> None:
    assert (was, now) in list(changes(operator)), sorted(set(changes(operator)))


def test_statements_are_dropped_with_raises_and_withs_told_apart() -> None:
    operators = {mutant.operator for mutant in made()}
    assert {"dropped statement", "dropped raise", "dropped with", "returned another"} <= operators
    gone = [mutant for mutant in made() if mutant.operator == "dropped raise"]
    assert [mutant.now for mutant in gone] == ["pass"]


def test_annotations_imports_and_docstrings_are_left_alone() -> None:
    for mutant in made():
        tree = ast.parse(mutant.source)
        assert ast.get_docstring(tree) == "A step."
        imported = [node for node in ast.walk(tree) if isinstance(node, ast.Import | ast.ImportFrom)]
        assert len(imported) == 4
        assert "Scores, scaled." in mutant.source


def test_a_parameter_is_not_taken_for_one_of_another_kind() -> None:
    names = set(changes("another name"))
    assert ("q", "k") in names
    assert not {pair for pair in names if pair[0] == "q" and pair[1] in ("heads", "mask")}


def test_the_words_of_an_error_are_one_slip_of_their_own() -> None:
    assert {m.operator for m in made() if m.line == 14} == {"message", "dropped raise", "another error"}


@pytest.mark.parametrize(
    ("was", "now", "cut"),
    [
        ("a + b", "a - b", ("a ", "+", "-", " b")),
        ("f(f(x))", "f(x)", ("f(", "f(x)", "x", ")")),
        ("same", "", ("", "same", "", "")),
        ("aa", "aaa", ("aa", "", "a", "")),
    ],
)
def test_pieces_put_together_are_both_texts(was: str, now: str, cut: tuple[str, ...]) -> None:
    assert pieces(was, now) == cut
    head, old, new, tail = cut
    assert (head + old + tail, head + new + tail) == (was, now)
