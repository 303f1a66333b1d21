"""A text read once: what is known of it, and that reading a submission's takes a bounded time."""

from __future__ import annotations

import time

import pytest

from grader.submission import source_index
from grader.submission.source_index import PIECES, Definition, Mention, Reader, read_code

TEXT = '''\
import torch.nn.functional as F
from .project import project, extra as more
from torch import nn


def attend(q):
    """Not scaled_dot_product_attention."""
    from concat import concat  # scaled_dot_product_attention

    def helper(k):
        return F.softmax(k, dim=-1).sum()

    return concat(helper(q))


class Both(nn.Module):
    inner = lambda self: getattr(F, "relu")


if __name__ == "__main__":
    import demo

    print(attend(getattr(demo, "a" + "b")))
else:
    best = [attend][0]
'''


def test_what_is_known_of_a_text() -> None:
    code = read_code(TEXT)
    assert code.fine
    assert code.definitions == (
        Definition("attend", 6, ""),
        Definition("helper", 10, "attend"),
        Definition("Both", 16, ""),
    )
    assert code.bound == ("F", "project", "more", "nn", "attend", "Both", "demo", "best")
    assert code.uses["attend"] >= {"helper", "concat", "q"}
    assert code.uses["helper"] == {"F", "k"}
    assert code.calls["attend"] == {"softmax", "sum", "concat", "helper"}
    assert code.imports - code.at_once == {"concat", "concat.concat"}
    assert code.at_once >= {"torch.nn.functional", "project", "project.extra", "torch.nn", "demo"}


def test_a_name_is_told_with_the_place_it_stands_in() -> None:
    mentions = set(read_code(TEXT).mentions)
    assert mentions >= {
        Mention(1, "torch.nn.functional", "import", "F", False),
        Mention(2, ".project.extra", "from", "project", False),
        Mention(11, "F.softmax", "name", "attend", False),
        Mention(11, ".sum", "name", "attend", False),
        Mention(16, "nn.Module", "name", "Both", False),
        Mention(17, "relu", "getattr", "Both", False),
        Mention(23, "", "getattr", "", True),
        Mention(23, "attend", "call", "", True),
        Mention(25, "attend", "name", "", False),
    }
    assert not [one for one in mentions if "scaled" in one.name]


@pytest.mark.parametrize("text", ["def f(:\n", "a\0b", "return 1\n", "(" * 300, "-" * 100_000 + "1"])
def test_of_what_python_cannot_read_nothing_is_known(text: str) -> None:
    code = read_code(text)
    assert not code.fine
    assert code.error is not None
    assert code.fault()
    assert (code.definitions, code.bound, code.mentions, code.imports) == ((), (), (), frozenset())


def test_the_same_text_is_read_once() -> None:
    reader = Reader()
    assert reader.read("a = 1") is reader.read("a = 1")


def test_the_budget_is_of_all_texts_together(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_index, "CHARACTERS", 100)
    reader = Reader()
    assert reader.read("a" * 60).fine
    assert "over 100 characters" in reader.read("b" * 60).fault()
    assert reader.read("c" * 40).fine
    assert "characters" in reader.read("d").unread


def test_beyond_its_time_nothing_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(source_index, "SECONDS", -1.0)
    assert read_code("a").unread == (
        "too much code: with the rest more than can be read in time; keep only what the lesson asks for"
    )


DENSE = {
    "names": "a;" * 520_000,
    "lines": "a\n" * 520_000,
    "calls": "a(a);" * 200_000,
    "definitions": "def f():a\n" * 104_000,
    "lambdas": "lambda:a;" * 116_000,
    "one hash": f"x = [{','.join(str(n * (2**61 - 1)) for n in range(1, 48_000))}]",
    "fields": "f'" + "{a}" * 340_000 + "'",
    "wide fields": "f'" + "{a       }" * 104_000 + "'",
    "fields of fields": "f'{a:" + "{a}" * 340_000 + "}'",
    "guarded": "if __name__ == '__main__':\n" + " a\n" * 340_000,
    "brackets": ("(" * 190 + "a" + ")" * 190 + "\n") * 2_700,
    "quotes": '"' * (6 * 174_000),
    "bytes": "x = (" + "b'a'" * 260_000 + ")",
    "conflicts": "=======\n" * 131_000,
    "comment": "#" * (1 << 20),
    "numbers": "1.5," * 260_000,
    "broken": "a;" * 140_000 + "(",
}


@pytest.mark.parametrize("kind", DENSE)
def test_the_densest_texts_take_a_few_seconds_or_are_not_read(kind: str) -> None:
    start = time.process_time()
    code = read_code(DENSE[kind])
    code.fault()
    assert time.process_time() - start < 12.0  # two or three, on a machine that does nothing else


def test_usual_work_is_far_below_the_budget() -> None:
    usual = (
        "def head(x, w):\n    scores = x @ w.transpose(-2, -1) / math.sqrt(x.shape[-1])  # as in the lesson\n\n"
        * 3_200
    )
    assert len(usual) > 300_000
    assert sum(1 for _ in source_index._PIECE.finditer(usual)) < PIECES / 2
    assert read_code(usual).fine
