# ruff: noqa: ARG001, ARG005 - a stand-in takes what it is called with, whether it needs it or not
from __future__ import annotations

import collections
import enum
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from grader.lesson.answers import Answer, OtherValue, SequenceValue, TensorValue, Value
from grader.lesson.inputs import answer_of
from grader.lesson.probes import Draw, Op, Probe, call, call_torch, call_value, gradient, load, op
from grader.worker.describe import ELEMENTS, ITEMS, Budget, blob, describe, raised
from grader.worker.perform import perform
from grader.worker.wire import LENGTHS, lengths, pack, unpack

X = Draw(1, "x").normal(2, 3)
SQUARE = Draw(1, "square").normal(4, 4)
MASK = np.array([[True, False, True], [False, True, True]])
RUN = call("f", "x", to="y")
WEIGHTS = {"W": "w"}


def probe(*script: Op, report: Sequence[str] = ("y",), **fields: Any) -> Probe:
    tensors = fields.pop("tensors", {"x": X, "mask": MASK})
    return Probe("p", "s", frozenset({"untouched"}), "", tensors, script or (RUN,), tuple(report), **fields)


def home(head: Mapping[str, object], asked: Probe) -> Answer:
    """An answer after its way over the wire: what cannot be packed fails here."""
    frame = pack(head)
    size, _ = lengths(frame[: LENGTHS.size])
    told = unpack(frame[LENGTHS.size : LENGTHS.size + size], frame[LENGTHS.size + size :])
    return answer_of(told, asked)


def ask(f: Any, asked: Probe | None = None, exact: bool = False, **names: Any) -> Answer:
    asked = asked or probe()
    return home(perform(asked.letter(), {"f": f, **names}, {__file__}, exact), asked)


def tensor(value: Value) -> TensorValue:
    assert isinstance(value, TensorValue)
    return value


def array(value: Value) -> Any:
    found = tensor(value).array
    assert found is not None
    return found


class Scale(nn.Module):
    def __init__(self, width: int = 3) -> None:
        super().__init__()
        self.W = nn.Linear(width, width, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.W(x) * (2 if self.training else 1)


# --- inputs -------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
def test_floating_inputs_come_in_the_probes_dtype_and_masks_stay(dtype: str) -> None:
    seen: list[torch.Tensor] = []
    asked = probe(call("f", "x", "mask", to="y"), dtype=dtype)
    answer = ask(lambda x, mask: seen.extend((x, mask)) or x * 1, asked)
    assert [str(t.dtype) for t in seen] == [f"torch.{dtype}", "torch.bool"]
    assert tensor(answer.values["y"]).dtype == dtype
    assert np.array_equal(array(answer.values["y"]), X.astype(array(answer.values["y"]).dtype))
    assert np.array_equal(seen[1].numpy(), MASK)


def test_an_exact_run_is_in_float64_whatever_the_probe_says() -> None:
    assert tensor(ask(lambda x: x * 1, probe(dtype="float16"), exact=True).values["y"]).dtype == "float64"


def test_strided_inputs_hold_the_same_values_out_of_order() -> None:
    seen: list[torch.Tensor] = []
    ask(seen.append, probe(strided=frozenset("x")))
    assert not seen[0].is_contiguous()
    assert np.array_equal(seen[0].numpy(), X)


def test_inputs_ask_for_gradients_only_where_the_probe_does() -> None:
    seen: list[bool] = []
    ask(lambda x: seen.append(x.requires_grad), probe())
    ask(lambda x: seen.append(x.requires_grad), probe(grads=frozenset("x")))
    assert seen == [False, True]


def test_an_empty_input_stays_empty() -> None:
    answer = ask(lambda x: x * 1, probe(tensors={"x": np.zeros((2, 0, 3))}))
    assert tensor(answer.values["y"]).shape == (2, 0, 3)


def test_random_numbers_are_the_same_in_each_probe() -> None:
    one, two = (array(ask(lambda x: torch.rand(4)).values["y"]) for _ in range(2))
    assert np.array_equal(one, two)
    again = probe(
        op("seed", seed=5), call("f", "x", to="y"), op("seed", seed=5), call("f", "x", to="z"), report="yz"
    )
    answer = ask(lambda x: torch.rand(4), again)
    assert np.array_equal(array(answer.values["y"]), array(answer.values["z"]))
    assert not np.array_equal(array(answer.values["y"]), one)


# --- operations ---------------------------------------------------------------------------------


def test_arguments_go_by_position_and_by_keyword() -> None:
    def f(a: Any, b: Any, *, k: Any) -> list[object]:
        return [bool((a == b).all()), k]

    arguments = {"tuple": [{"ref": "x"}, 2, ["a", {"ref": "x"}]]}
    given = op("call", of={"name": "f"}, args=[{"ref": "x"}, {"ref": "x"}], kwargs={"k": arguments}, to="y")
    value = ask(f, probe(given)).values["y"]
    assert isinstance(value, SequenceValue)
    inner = value.items[1]
    assert isinstance(inner, SequenceValue)
    assert (value.items[0], inner.kind, inner.items[1]) == (True, "tuple", 2)


def test_a_pair_is_taken_apart() -> None:
    asked = probe(call("f", "x", to=("a", "b")), report="ab")
    for pair in (tuple, list):
        answer = ask(lambda x, pair=pair: pair((x + 1, "w")), asked)
        assert np.array_equal(array(answer.values["a"]), X + 1)
        assert answer.values["b"] == "w"


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (lambda x: x, "returned one tensor of shape (2, 3), expected a pair (a, b)"),
        (lambda x: (x, x, x), "returned a tuple of 3 values, expected a pair (a, b)"),
        (lambda x: [x], "returned a list of 1 values, expected a pair (a, b)"),
        (lambda x: (y for y in (x, x)), "returned a generator, expected a pair (a, b)"),
        (lambda x: {"a": x, "b": x}, "returned a dict, expected a pair (a, b)"),
        (lambda x: None, "returned None, expected a pair (a, b)"),
        (lambda x: x.numpy(), "returned a numpy.ndarray, expected a pair (a, b)"),
        (lambda x: 3, "returned an int, expected a pair (a, b)"),
    ],
)
def test_what_is_no_pair_is_unfit(given: Callable[..., Any], words: str) -> None:
    answer = ask(given, probe(call("f", "x", to=("a", "b")), report="ab"))
    assert (answer.outcome, answer.message, answer.during) == ("unfit", words, "call f")
    assert answer.values == {}


def test_a_name_that_is_not_there_is_absent() -> None:
    answer = ask(None, probe(call("g", "x", to="y")))
    assert (answer.outcome, answer.message, answer.during) == ("absent", "g", "call g")


def test_a_function_of_torch_is_called_by_its_path() -> None:
    answer = ask(None, probe(call_torch("nn.functional.relu", "x", to="y")))
    assert np.array_equal(array(answer.values["y"]), np.maximum(X, 0))


def test_modules_are_made_placed_poured_and_called() -> None:
    made = [call("f", 3, to="m"), op("place", of="m", device="cpu"), load("m", WEIGHTS, {})]
    tensors = {"x": X, "w": Draw(1, "w").normal(3, 3)}
    run = [
        op("mode", of="m", train=False),
        call_value("m", "x", to="y"),
        op("mode", of="m", train=True),
        call_value("m", "x", to="z"),
    ]
    answer = ask(Scale, probe(*made, *run, report="yz", tensors=tensors, dtype="bfloat16"))
    assert tensor(answer.values["y"]).dtype == "bfloat16"
    answer = ask(Scale, probe(*made, *run, report="yz", tensors=tensors))
    assert np.allclose(array(answer.values["y"]), X @ tensors["w"])
    assert np.allclose(array(answer.values["z"]), 2 * X @ tensors["w"])


ALSO = [{"asked": "W", "holds": ["W"], "names": ["w", "scale"]}]


class Renamed(nn.Module):
    def __init__(self, **layers: nn.Module) -> None:
        super().__init__()
        for name, layer in layers.items():
            setattr(self, name, layer)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.scale(x)  # type: ignore[no-any-return, operator]


def test_a_weight_under_another_name_is_poured_and_told() -> None:
    made = [call("f", to="m"), load("m", WEIGHTS, {}), call_value("m", "x", to="y")]
    tensors = {"x": X.astype(np.float64), "w": Draw(1, "w").normal(3, 3)}
    asked = probe(*made, tensors=tensors, dtype="float32")
    letter = {**asked.letter(), "also": ALSO}

    def done(**layers: nn.Module) -> Answer:
        return home(perform(letter, {"f": lambda: Renamed(**layers)}, {__file__}, False), asked)

    answer = done(scale=nn.Linear(3, 3, bias=False))
    assert np.allclose(array(answer.values["y"]), X @ tensors["w"], atol=1e-5)
    assert answer.renamed == (("scale", "W"),)
    answer = done(other=nn.Linear(3, 3))
    assert (answer.outcome, answer.during, answer.renamed) == ("unfit", "names", ())
    assert answer.message == "no weight named W: expected W, found other"
    answer = done(scale=nn.Linear(3, 4))
    assert (answer.outcome, answer.during, answer.renamed) == ("unfit", "load", (("scale", "W"),))
    assert "W (your scale) is too large" in answer.message


def test_states_and_copies_carry_the_weights() -> None:
    made = [
        call("f", 3, to="m"),
        op("place", of="m", device="cpu"),
        load("m", WEIGHTS, {}),
        call("f", 3, to="n"),
        op("place", of="n", device="cpu"),
        op("save", of="m", to="s"),
        op("restore", into="n", **{"from": "s"}),
        call_value("n", "x", to="y"),
        op("copy", of="m", to="c"),
        call_value("c", "x", to="z"),
    ]
    tensors = {"x": X, "w": Draw(1, "w").normal(3, 3)}
    answer = ask(Scale, probe(*made, report="yz", tensors=tensors))
    for name in "yz":
        assert np.allclose(array(answer.values[name]), 2 * X @ tensors["w"])


def test_attributes_and_kinds_are_told() -> None:
    asked = probe(
        call("f", 3, to="m"),
        op("attributes", of="m", names=["training", "W.in_features", "no.such"]),
        op("is", of="m", torch="nn.Module", to="a"),
        op("is", of="m", torch="nn.Linear", to="b"),
        report=("m.training", "m.W.in_features", "m.no.such", "a", "b"),
    )
    assert list(ask(Scale, asked).values.values()) == [True, 3, None, True, False]


def test_what_is_no_module_cannot_be_placed() -> None:
    answer = ask(lambda n: "m", probe(call("f", 3, to="m"), op("place", of="m", device="cpu")))
    assert (answer.outcome, answer.message, answer.during) == (
        "unfit",
        "made a str, expected an nn.Module",
        "place",
    )


def test_a_gradient_is_that_of_the_sum_against_its_cotangent() -> None:
    tensors = {"x": X, "c": Draw(1, "c").normal(2, 3), "k": Draw(1, "k").normal(2, 3)}
    asked = probe(
        call("f", "x", to=("y", "z")),
        gradient({"y": "c", "z": "k"}, ["x"]),
        report=["d_x"],
        tensors=tensors,
        grads=frozenset("x"),
    )
    answer = ask(lambda x: (x * x, 3 * x), asked)
    assert np.allclose(array(answer.values["d_x"]), 2 * X * tensors["c"] + 3 * tensors["k"])
    one = ask(lambda x: (x.detach(), 3 * x), asked)
    assert np.allclose(array(one.values["d_x"]), 3 * tensors["k"])


@pytest.mark.parametrize(
    ("given", "words"),
    [
        (lambda x: x.detach() * 2, "the answer is cut off from its inputs"),
        (lambda x: (x * 2).sum(0), "returned shape (3,), expected (2, 3)"),
        (lambda x: [x], "returned a list, expected a tensor"),
    ],
)
def test_an_answer_without_a_gradient_is_unfit(given: Callable[..., Any], words: str) -> None:
    asked = probe(
        RUN, gradient({"y": "c"}, ["x"]), report=["d_x"], tensors={"x": X, "c": X}, grads=frozenset("x")
    )
    answer = ask(given, asked)
    assert answer.outcome == "unfit"
    assert words in answer.message


def test_an_input_that_no_path_reaches_has_no_gradient() -> None:
    asked = probe(
        call("f", "x", "z", to="y"),
        gradient({"y": "c"}, ["x", "z"]),
        report=["d_x", "d_z"],
        tensors={"x": X, "z": X, "c": X},
        grads=frozenset("xz"),
    )
    answer = ask(lambda x, z: x * z.detach(), asked)
    assert answer.values["d_z"] is None
    assert np.allclose(array(answer.values["d_x"]), X * X)
    turned_off = ask(lambda x, z: x * z.requires_grad_(False), asked)
    assert turned_off.values["d_z"] is None
    assert turned_off.changed == ("z",)


# --- inputs that change -------------------------------------------------------------------------


def setitem(x: torch.Tensor) -> None:
    x[0, 0] = 7.0


CHANGES: Mapping[str, Callable[[torch.Tensor], object]] = {
    "in place": lambda x: x.mul_(2),
    "one element": setitem,
    "resized": lambda x: x.resize_(1),
    "transposed": lambda x: x.t_(),
    "asks for a gradient": lambda x: x.requires_grad_(True),
    "other data": lambda x: setattr(x, "data", x.data + 1),
    "other dtype": lambda x: setattr(x, "data", x.data.float()),
    "emptied": lambda x: x.set_(),
    "through a view": lambda x: x.view(-1)[0].zero_(),
    "through numpy": lambda x: x.numpy().fill(0),
    "other class": lambda x: setattr(x, "__class__", nn.Parameter),
}


@pytest.mark.parametrize("case", CHANGES)
def test_a_changed_input_is_told(case: str) -> None:
    seen: list[object] = []
    answer = ask(lambda x: seen.append(CHANGES[case](x)), probe(tensors={"x": SQUARE, "z": X}))
    assert answer.outcome == "returned"
    assert answer.changed == ("x",)


@pytest.mark.parametrize(
    "f", [lambda x: x, lambda x: x.clone().mul_(2), lambda x: x.add_(1).sub_(1), lambda x: x.T]
)
def test_an_input_that_is_what_it_was_is_not_told(f: Callable[..., Any]) -> None:
    assert ask(f, probe(tensors={"x": np.zeros((2, 2))})).changed == ()


def test_a_changed_mask_is_told() -> None:
    assert ask(lambda m: m.logical_not_(), probe(call("f", "mask", to="y"))).changed == ("mask",)


# --- what raises --------------------------------------------------------------------------------


def test_an_exception_is_told_with_its_types_words_and_lines() -> None:
    def f(x: Any) -> None:
        raise FileNotFoundError("no such head")

    answer = ask(f)
    assert answer.outcome == "raised"
    assert answer.during == "call f"
    assert answer.raised is not None
    assert answer.raised.types[:3] == ("FileNotFoundError", "OSError", "Exception")
    assert answer.raised.message == "no such head"
    assert [(line.path, line.function, line.text) for line in answer.raised.lines][-1] == (
        __file__,
        "f",
        'raise FileNotFoundError("no such head")',
    )


@pytest.mark.parametrize("kind", [SystemExit, KeyboardInterrupt, GeneratorExit, BaseException, MemoryError])
def test_nothing_escapes(kind: type[BaseException]) -> None:
    def f(x: Any) -> None:
        raise kind

    answer = ask(f)
    assert answer.raised is not None
    assert answer.raised.name == kind.__name__


def test_endless_recursion_is_an_error_like_any_other() -> None:
    def f(x: Any) -> Any:
        return f(x)

    answer = ask(f)
    assert answer.raised is not None
    assert answer.raised.name == "RecursionError"
    assert len(answer.raised.lines) == 3


class Text(str):
    __slots__ = ()

    def __getitem__(self, key: object) -> Any:
        raise RuntimeError("not to be cut")

    def __str__(self) -> str:
        raise RuntimeError("not to be shown")

    def __format__(self, spec: str) -> str:
        raise RuntimeError("not to be shown")

    def __hash__(self) -> int:
        raise RuntimeError("not to be hashed")


class Hidden(type):
    __name__ = property(lambda cls: 1 / 0)  # type: ignore[assignment]
    __module__ = property(lambda cls: 1 / 0)  # type: ignore[assignment]
    __mro__ = property(lambda cls: 1 / 0)  # type: ignore[assignment]


class Silent(Exception):
    def __str__(self) -> str:
        raise self

    __repr__ = __str__


class Liar(Exception):
    __traceback__ = property(lambda self: 1 / 0, lambda self, value: None)  # type: ignore[assignment]
    __class__ = property(lambda self: 1 / 0)  # type: ignore[assignment]

    def __str__(self) -> str:
        return Text("a text of its own kind")


class Nameless(Exception, metaclass=Hidden):
    pass


class Crooked(SyntaxError):
    filename = property(lambda self: 1 / 0)  # type: ignore[assignment]
    lineno = property(lambda self: 1 / 0)  # type: ignore[assignment]


def crooked() -> SyntaxError:
    error = SyntaxError("x")
    error.filename, error.lineno, error.text = Text("a.py"), 10**5000, 7  # type: ignore[assignment]
    return error


class Talker(Exception):
    def __str__(self) -> str:
        return "ß" * 10**6


ERRORS: Mapping[str, Callable[[], BaseException]] = {
    "Silent": Silent,
    "Liar": Liar,
    "Nameless": Nameless,
    "Crooked": Crooked,
    "SyntaxError": crooked,
    "Talker": Talker,
    "Exception": lambda: Exception("\ud800\0\u202e"),
    "ValueError": lambda: ValueError(Text("x")),
    "UnicodeDecodeError": lambda: UnicodeDecodeError("utf-8", b"\xff", 0, 1, "no"),
    "ExceptionGroup": lambda: ExceptionGroup("all", [Silent(), ValueError()]),
}


@pytest.mark.parametrize("name", ERRORS)
def test_an_exception_with_a_mind_of_its_own_is_told_as_far_as_it_goes(name: str) -> None:
    def f(x: Any) -> None:
        raise ERRORS[name]()

    answer = ask(f)
    assert answer.outcome == "raised"
    assert answer.raised is not None
    assert answer.raised.name == name
    assert len(answer.raised.message) <= 1000


def test_a_message_that_cannot_be_shown_is_said_to_be_so() -> None:
    assert raised(Silent(), set())["message"] == "(its message cannot be shown)"
    assert raised(Talker(), set())["message"] == "ß" * 1000


# --- what returns -------------------------------------------------------------------------------


class Lying(torch.Tensor):
    shape = (9, 9)  # type: ignore[assignment]
    dtype = "none"  # type: ignore[assignment]

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise RuntimeError("not to be touched")


class Trap:
    def __getattribute__(self, name: str) -> Any:
        raise RuntimeError(name)


class LongList(list):  # type: ignore[type-arg]
    def __len__(self) -> int:
        return 10**18

    def __iter__(self) -> Any:
        raise RuntimeError("not to be walked")


class Number(int):
    def __abs__(self) -> int:
        raise RuntimeError("not to be counted")


class Odd(enum.IntEnum):
    ONE = 1


Pair = collections.namedtuple("Pair", "a b")  # noqa: PYI024


def endless(kind: type) -> list[Any]:
    found: list[Any] = []
    found.extend([found] * 50 if kind is list else [(found, found)] * 50)
    return found


OTHERS: Mapping[str, tuple[Callable[[], Any], str]] = {
    "numpy": (lambda: np.zeros((2, 3)), "numpy.ndarray of shape (2, 3)"),
    "numpy number": (lambda: np.float64(2), "numpy.float64 of shape ()"),
    "str subclass": (lambda: Text("x"), "Text"),
    "int subclass": (lambda: Number(3), "Number"),
    "IntEnum": (lambda: Odd.ONE, "Odd"),
    "trap": (Trap, "Trap"),
    "hidden class": (Hidden("Dark", (), {}), "Dark"),
    "a class": (lambda: Trap, "type"),
    "nan": (lambda: math.nan, "nan"),
    "inf": (lambda: -math.inf, "-inf"),
    "huge int": (lambda: 10**5000, "an int of over 63 bits"),
    "generator": (lambda: (n for n in (1, 2)), "generator"),
    "dict": (lambda: {"$": "blob"}, "dict"),
    "bytes": (lambda: b"abc", "bytes"),
    "complex": (lambda: 1j, "complex"),
    "sparse": (lambda: torch.eye(3).to_sparse(), "a tensor of layout torch.sparse_coo, dtype float32"),
    "float8": (lambda: torch.zeros(3, dtype=torch.float8_e5m2), "dtype float8_e5m2"),
    "nested": (
        lambda: torch.nested.as_nested_tensor([torch.ones(2), torch.ones(3)], layout=torch.jagged),
        "cannot be read",
    ),
    "module": (lambda: nn.Linear(2, 2), "torch.nn.modules.linear.Linear"),
}


@pytest.mark.parametrize("case", OTHERS)
def test_what_is_not_plain_comes_home_in_words(case: str) -> None:
    make, words = OTHERS[case]
    answer = ask(lambda x: make())
    assert answer.outcome == "returned"
    value = answer.values["y"]
    assert isinstance(value, OtherValue)
    assert words in (value.say or value.type)


@pytest.mark.parametrize("value", [None, True, False, 0, -7, 2**63 - 1, 1.5, "", "the cat", "\u202e\ud800"])
def test_plain_values_come_home_as_they_are(value: Any) -> None:
    found = ask(lambda x: value).values["y"]
    assert type(found) is type(value)
    assert found == (value if value != "\u202e\ud800" else "\\u202e\\ud800")


TENSORS: Mapping[str, Callable[[], torch.Tensor]] = {
    "bool": lambda: torch.tensor([True, False]),
    "int64": lambda: torch.arange(6).view(2, 3),
    "no axes": lambda: torch.tensor(2.0),
    "turned": lambda: torch.arange(6.0).view(2, 3).T,
    "odd strides": lambda: torch.arange(6.0)[4:5].as_strided((1,), (7,)),
    "expanded": lambda: torch.ones(1).expand(3, 2),
    "conjugate": lambda: torch.tensor([1 + 2j]).conj(),
    "negative view": lambda: torch.tensor([1 + 2j]).conj().imag,
    "parameter": lambda: nn.Parameter(torch.ones(2)),
    "needs a gradient": lambda: torch.ones(2, requires_grad=True) * 2,
    "nan": lambda: torch.tensor([math.nan, math.inf]),
    "empty": lambda: torch.ones(0, 3),
}


@pytest.mark.parametrize("case", TENSORS)
def test_tensors_come_home_as_they_are(case: str) -> None:
    want = TENSORS[case]()
    found = tensor(ask(lambda x: TENSORS[case]()).values["y"])
    assert np.array_equal(array(found), want.detach().resolve_conj().resolve_neg().numpy(), equal_nan=True)
    assert (found.shape, found.device, found.requires_grad) == (tuple(want.shape), "cpu", want.requires_grad)


def test_a_tensor_that_lies_is_taken_for_what_it_is() -> None:
    found = tensor(ask(lambda x: x.as_subclass(Lying)).values["y"])
    assert (found.shape, found.dtype) == ((2, 3), "float64")
    assert np.array_equal(array(found), X)
    assert "Lying" in found.type


def test_a_tensor_without_data_is_told_by_its_form() -> None:
    found = tensor(ask(lambda x: torch.ones(2, 3, device="meta")).values["y"])
    assert (found.shape, found.device, found.array) == ((2, 3), "meta", None)


@pytest.mark.parametrize("make", [lambda: torch.ones(10**7), lambda: torch.ones(1).expand(10**6, 10**6)])
def test_a_large_tensor_stays_where_it_is(make: Callable[[], torch.Tensor]) -> None:
    value = ask(lambda x: make()).values["y"]
    assert isinstance(value, OtherValue)
    assert "too large" in value.say


def test_lists_come_home_to_a_depth_and_a_length() -> None:
    value = ask(lambda x: [1, (2, [x]), Pair(3, 4)]).values["y"]
    assert isinstance(value, SequenceValue)
    assert (value.kind, value.length, value.items[0]) == ("list", 3, 1)
    inner, pair = value.items[1:]
    assert isinstance(inner, SequenceValue)
    assert isinstance(pair, SequenceValue)
    assert isinstance(inner.items[1], SequenceValue)
    assert np.array_equal(array(inner.items[1].items[0]), X)
    assert (pair.kind, pair.items) == ("tuple", (3, 4))
    long = ask(lambda x: list(range(1000))).values["y"]
    assert isinstance(long, SequenceValue)
    assert (long.length, len(long.items)) == (1000, ITEMS)
    own = ask(lambda x: LongList([1, 2])).values["y"]
    assert isinstance(own, SequenceValue)
    assert (own.length, own.items) == (2, (1, 2))


@pytest.mark.parametrize(
    "make",
    [
        lambda x: endless(list),
        lambda x: endless(tuple),
        lambda x: [x] * 1000,
        lambda x: [[x] * 60] * 60,
        lambda x: [torch.ones(ELEMENTS, dtype=torch.float64)] * 64,
        lambda x: "x" * 10**7,
        lambda x: ["y" * 10**5] * 10**4,
        lambda x: [[["z" * 5000] * 64] * 64] * 64,
    ],
)
def test_an_answer_without_measure_can_be_sent(make: Callable[[Any], Any]) -> None:
    answer = perform(probe().letter(), {"f": make}, set(), False)
    assert answer["outcome"] == "returned"
    assert len(pack(answer)) < 5 * 2**20


def test_what_one_answer_may_hold_is_shared_by_its_values() -> None:
    budget = Budget(values=3, size=100)
    ones = torch.ones(10, dtype=torch.float64)
    first, second = describe(ones, budget), describe(ones, budget)
    assert isinstance(first, dict)
    assert isinstance(second, dict)
    assert ("blob" in first, "blob" in second, second["large"]) == (True, False, True)
    assert describe(3, budget) == 3
    assert describe(3, budget) == {"$": "other", "type": "int", "say": "one value too many"}


def test_a_default_device_of_the_guests_touches_no_answer() -> None:
    with torch.device("meta"):
        assert blob(torch.ones(2, device="cpu")).data == np.ones(2, dtype=np.float32).tobytes()


def test_a_function_that_has_become_no_function_raises() -> None:
    answer = ask(3)
    assert answer.raised is not None
    assert answer.raised.name == "TypeError"


MADE: Mapping[str, Callable[[], Any]] = {
    "trap": Trap,
    "lying tensor": lambda: torch.ones(3).as_subclass(Lying),
    "int": lambda: 3,
    "None": lambda: None,
    "class": lambda: Scale,
    "raising property": type("M", (nn.Module,), {"forward": property(lambda self: 1 / 0)}),
    "raising getattr": type("M", (nn.Module,), {"__getattr__": lambda self, name: 1 / 0}),
}


@pytest.mark.parametrize("made", MADE)
@pytest.mark.parametrize(
    "step",
    [
        op("place", of="m", device="cpu"),
        op("place", of="m", device="portable"),
        load("m", {"W": "x"}, {}),
        op("mode", of="m", train=True),
        op("state", of="m", into="m"),
        op("copy", of="m", to="n"),
        op("structure", of="m", weights=["W"], fused={}),
        op("attributes", of="m", names=["a.b"]),
        op("is", of="m", torch="nn.Module", to="b"),
        call_value("m", "x", to="y"),
        gradient({"m": "x"}, ["x"]),
    ],
    ids=lambda step: f"{step['op']}",
)
def test_no_operation_lets_anything_escape(step: Op, made: str) -> None:
    asked = probe(
        call("f", 3, to="m"), step, report=("m", "y", "b", "is_module", "m.a.b"), grads=frozenset("x")
    )
    assert ask(lambda n: MADE[made](), asked).outcome in ("returned", "unfit", "raised")
