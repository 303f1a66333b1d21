"""A neighbour's function answered from outside: what is asked goes home, what is known comes back with its graph."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
import torch
from torch import Tensor

from grader.grading.second import _question, _questions
from grader.worker.describe import describe, raised
from grader.worker.perform import perform
from grader.worker.portable import Elsewhere
from grader.worker.served import Served, Unanswered
from grader.worker.wire import LENGTHS, key_of, pack, unpack


def right(q: Tensor, k: Tensor, mask: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Stands for the solution's function."""
    if q.shape[-1] != k.shape[-1]:
        raise ValueError("the widths differ")
    scores = (q @ k.mT).softmax(-1)
    return (scores if mask is None else scores * mask) @ k, scores


def own(query: Tensor, keys: Tensor, seen: Tensor | None = None) -> Tensor:
    """Stands for the learner's function, with other names of its parameters."""
    return query if seen is None else keys


def travelled(head: Mapping[str, object]) -> dict[str, Any]:
    """A head as it is after a journey."""
    data = pack(head)
    size, _ = LENGTHS.unpack(data[: LENGTHS.size])
    return unpack(data[LENGTHS.size : LENGTHS.size + size], data[LENGTHS.size + size :])


def answered(questions: list[Mapping[str, object]]) -> list[dict[str, object]]:
    """What the solution's process makes of them, both ways over the wire."""
    found = []
    for key, told in _questions(travelled({"asks": questions})).items():
        question = _question(key, told, {"attend": "attend"})
        assert question is not None
        letter = travelled(question.letter())
        head = perform(letter, {"attend": right}, set(), exact=False)
        answer = question.read(travelled(head))
        assert answer is not None
        found.append(travelled({"key": key, "answer": answer}))
    return found


def rounds(script: Callable[[Callable[..., Any]], Any], own: Any = None) -> Any:
    """A script run again and again, until nothing it asks is unknown."""
    known: list[dict[str, object]] = []
    for _ in range(9):
        served = Served({}, known)
        try:
            return script(served.function("attend", own))
        except Unanswered:
            known += answered(served.taken())
    raise AssertionError("it never came to an end")


def inputs(kind: torch.dtype = torch.float64) -> tuple[Tensor, Tensor]:
    torch.manual_seed(1)
    return torch.randn(2, 5, 4, dtype=kind), torch.randn(2, 7, 4, dtype=kind)


@pytest.mark.parametrize("kind", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_values_are_those_of_the_function_itself(kind: torch.dtype) -> None:
    q, k = inputs(kind)
    for mine, theirs in zip(rounds(lambda attend: attend(q, k)), right(q, k), strict=True):
        assert mine.dtype == kind
        assert torch.equal(mine, theirs)


def test_gradients_pass_through_to_every_input_that_asks_for_one() -> None:
    def script(attend: Callable[..., Any]) -> list[Tensor]:
        q, k = (one.requires_grad_() for one in inputs())
        heads, weights = attend(q * 2, k)
        again, _ = attend(heads, k)
        return list(torch.autograd.grad((again.sin() + heads).sum() + weights[0, 0, 0], [q, k]))

    for mine, theirs in zip(rounds(script), script(right), strict=True):
        torch.testing.assert_close(mine, theirs)


def test_an_input_without_gradient_gets_none() -> None:
    def script(attend: Callable[..., Any]) -> Any:
        q, k = inputs()
        heads, _ = attend(q, k.requires_grad_(), torch.ones(5, 7, dtype=torch.bool).any(-1, keepdim=True))
        return torch.autograd.grad(heads.sum(), k)[0]

    torch.testing.assert_close(rounds(script), script(lambda q, k, _: right(q, k)))


def test_keywords_go_by_the_places_they_have_in_the_learners_function() -> None:
    q, k = inputs()
    mine = rounds(lambda attend: attend(keys=k, query=q)[0], own)
    assert torch.equal(mine, right(q, k)[0])
    assert torch.equal(rounds(lambda attend: attend(q, k, mask=None)[0]), right(q, k)[0])


def test_what_the_function_raises_is_raised_here() -> None:
    q, k = inputs()
    with pytest.raises(ValueError, match="the widths differ"):
        rounds(lambda attend: attend(q[..., :3], k))


def test_tensors_of_the_second_device_come_back_on_it() -> None:
    q, k = inputs()
    heads, _ = rounds(lambda attend: attend(Elsewhere(q), Elsewhere(k)))
    assert isinstance(heads, Elsewhere)
    assert torch.equal(heads.held, right(q, k)[0])
    with pytest.raises(RuntimeError, match="same device"):
        rounds(lambda attend: attend(Elsewhere(q), k))


@pytest.mark.parametrize("value", [object(), [torch.ones(2)], torch.ones(200_000), float("nan")])
def test_what_cannot_be_asked_is_said_and_asks_nothing(value: object) -> None:
    served = Served({}, [])
    with pytest.raises(TypeError):
        served.function("attend", None)(value)
    assert served.taken() == []


def test_a_guests_code_cannot_make_an_answer_its_own() -> None:
    """A key is made from the question on both sides, so what is said of it does not count."""
    q, k = inputs()
    served = Served({}, [{"key": "0" * 64, "answer": {"value": {"plain": 1}}}])
    with pytest.raises(Unanswered):
        served.function("attend", None)(q, k)
    (question,) = served.taken()
    assert list(_questions(travelled({"asks": [question]}))) == [key_of(question)]


@pytest.mark.parametrize(
    "told",
    [
        {"name": "system", "args": [], "kwargs": {}},
        {"name": "attend", "args": "q", "kwargs": {}},
        {"name": "attend", "args": [], "kwargs": {}, "cotangents": 3},
        {"back": 7, "cotangents": []},
        {"back": {"name": "attend", "args": [], "kwargs": {}}, "cotangents": [{"plain": 1}]},
        {"name": "attend", "args": [describe(torch.ones(1))] * 3, "kwargs": [], "x": {}},
    ],
)
def test_a_forged_question_reaches_nobody(told: dict[str, object]) -> None:
    assert _question("key", told, {"attend": "attend"}) is None


def test_a_question_with_many_tensors_reaches_nobody() -> None:
    served = Served({}, [])
    with pytest.raises(Unanswered):
        served.function("attend", None)(*[torch.ones(1)] * 9)
    assert _question("key", travelled({"asks": served.taken()})["asks"][0], {"attend": "attend"}) is None


def test_that_a_probe_cannot_go_on_is_no_exception_a_guest_would_catch() -> None:
    assert not issubclass(Unanswered, Exception)
    assert raised(Unanswered(), set())["types"] == ["Unanswered", "BaseException", "object"]
