"""What is asked of each step, and what each criterion is worth.

A check sees the learner's answers beside the expected ones; it holds neither an answer nor an input.
`value=True` marks the checks of values: where none of a step's passes, nothing else of it earns.
`testimony=True` marks those that rest on what the learner's own process says of itself (docs/SECURITY.md).
"""

from __future__ import annotations

from grader.author import Case, Select, criterion, own

OUT = ("heads", "weights")
WEIGHT_GRADIENTS = ("d_W_q", "d_W_k", "d_W_v", "d_W_o")


# ── project: 15 ──────────────────────────────────────────────────────────────


@criterion("project", 8, value=True)
def test_project_values(cases: Select) -> None:
    """The heads are the column blocks of x w, in order, each with all its tokens."""
    for case in cases("values"):
        case.agrees(*case.probe.report)


@criterion("project", 1)
def test_project_edges(cases: Select) -> None:
    """One head, heads of width one, one sample and one token work as well."""
    for case in cases("edges"):
        case.agrees("y")


@criterion("project", 2)
def test_project_refuses(cases: Select) -> None:
    """A number of heads that does not divide the columns is refused with a ValueError."""
    for case in cases("refuse"):
        case.refuses()


@criterion("project", 2)
def test_project_gradients(cases: Select) -> None:
    """Gradients reach x and w."""
    for case in cases("gradient"):
        case.gradients("d_x", "d_w")


@criterion("project", 1)
def test_project_dtypes(cases: Select) -> None:
    """float64, float32, bfloat16 and float16 go in and come out."""
    for case in cases("dtype"):
        case.agrees("y")


@criterion("project", 0.5)
def test_project_manners(cases: Select) -> None:
    """The inputs stay as they are."""
    _untouched(cases)


@criterion("project", 0.5, testimony=True)
def test_project_device(cases: Select) -> None:
    """Any device will do: nothing is made or left behind on the CPU."""
    _device(cases, "y")


# ── attend: 20 ───────────────────────────────────────────────────────────────


@criterion("attend", 6, value=True)
def test_attend_plain(cases: Select) -> None:
    """Without a mask, heads and weights are those of the formula."""
    for case in cases("plain"):
        case.agrees(*case.probe.report)


@criterion("attend", 5, value=True)
def test_attend_mask(cases: Select) -> None:
    """With a mask, each query attends to what it may see and to nothing else."""
    for case in cases("mask"):
        case.agrees(*OUT)


@criterion("attend", 2)
def test_attend_empty(cases: Select) -> None:
    """A query with nothing to attend to has zero weights and a zero head."""
    for case in cases("empty"):
        case.agrees(*OUT)


@criterion("attend", 2)
def test_attend_large(cases: Select) -> None:
    """Large scores neither overflow nor uncover what the mask hides."""
    for case in cases("large"):
        case.agrees(*OUT)


@criterion("attend", 2)
def test_attend_gradients(cases: Select) -> None:
    """Gradients reach q, k and v, through the heads and through the weights."""
    for case in cases("gradient"):
        case.gradients("d_q", "d_k", "d_v")


@criterion("attend", 1)
def test_attend_empty_gradients(cases: Select) -> None:
    """The gradient of a query with nothing to attend to is finite."""
    for case in cases("empty-gradient"):
        case.finite("d_q", "d_k", "d_v")


@criterion("attend", 1)
def test_attend_dtypes(cases: Select) -> None:
    """float64, float32, bfloat16 and float16 go in and come out."""
    for case in cases("dtype"):
        case.agrees(*OUT)


@criterion("attend", 0.5)
def test_attend_manners(cases: Select) -> None:
    """The inputs and the mask stay as they are."""
    _untouched(cases)


@criterion("attend", 0.5, testimony=True)
def test_attend_device(cases: Select) -> None:
    """Any device will do: nothing is made or left behind on the CPU."""
    _device(cases, *OUT)


# ── concat: 10 ───────────────────────────────────────────────────────────────


@criterion("concat", 6, value=True)
def test_concat_values(cases: Select) -> None:
    """Each token's row is its heads one after the other, head 0 first."""
    for case in cases("values"):
        case.agrees(*case.probe.report)


@criterion("concat", 1)
def test_concat_edges(cases: Select) -> None:
    """One head, heads of width one, one sample and one token work as well."""
    for case in cases("edges"):
        case.agrees("y")


@criterion("concat", 1)
def test_concat_gradients(cases: Select) -> None:
    """Gradients reach the heads."""
    for case in cases("gradient"):
        case.gradients("d_x")


@criterion("concat", 1)
def test_concat_dtypes(cases: Select) -> None:
    """float64, float32, bfloat16 and float16 go in and come out."""
    for case in cases("dtype"):
        case.agrees("y")


@criterion("concat", 0.5)
def test_concat_manners(cases: Select) -> None:
    """The input stays as it is."""
    _untouched(cases)


@criterion("concat", 0.5, testimony=True)
def test_concat_device(cases: Select) -> None:
    """Any device will do: nothing is made or left behind on the CPU."""
    _device(cases, "y")


# ── output: 5 ────────────────────────────────────────────────────────────────


@criterion("output", 3, value=True)
def test_output_values(cases: Select) -> None:
    """The concatenated heads are mixed by W_O."""
    for case in cases("values"):
        case.agrees(*case.probe.report)


@criterion("output", 1)
def test_output_refuses(cases: Select) -> None:
    """Widths that do not fit are refused with a ValueError that names both."""
    for case in cases("refuse"):
        case.refuses(12, 14)
    for case in cases("refuse-turned"):
        case.refuses(12, 10)


@criterion("output", 0.5)
def test_output_manners(cases: Select) -> None:
    """Gradients arrive, dtypes and inputs stay."""
    for case in cases("gradient"):
        case.gradients("d_x", "d_w")
    for case in cases("dtype"):
        case.agrees("y")
    _untouched(cases)


@criterion("output", 0.5, testimony=True)
def test_output_device(cases: Select) -> None:
    """Any device will do: nothing is made or left behind on the CPU."""
    _device(cases, "y")


# ── module: 20 ───────────────────────────────────────────────────────────────


@criterion("module", 9, value=True)
def test_module_values(cases: Select) -> None:
    """The module computes multi-head self-attention with the weights it is given."""
    for case in cases("values"):
        case.agrees("y")


@criterion("module", 2)
def test_module_edges(cases: Select) -> None:
    """One head, heads of width one, one sample and one token work as well."""
    for case in cases("edges"):
        case.agrees("y")


@criterion("module", 3)
def test_module_gradients(cases: Select) -> None:
    """Gradients reach the input and all four weights."""
    for case in cases("gradient"):
        case.gradients("d_x", *WEIGHT_GRADIENTS)


@criterion("module", 2)
def test_module_structure(cases: Select) -> None:
    """The named weights are registered, saved, and the only trainable ones."""
    for case in cases("structure"):
        _structure(case)


@criterion("module", 1)
def test_module_life(cases: Select) -> None:
    """Calls do not depend on earlier ones; copies and reloaded states agree."""
    for case in cases("life"):
        case.agrees(*case.probe.report)
    for case in cases("untouched"):
        case.untouched()


@criterion("module", 1)
def test_module_train(cases: Select) -> None:
    """Train and eval agree: no dropout is asked for."""
    for case in cases("train"):
        case.agrees(*case.probe.report)


@criterion("module", 1)
def test_module_refuses(cases: Select) -> None:
    """A d_model that num_heads does not divide is refused when the module is made."""
    for case in cases("refuse"):
        case.refuses()


@criterion("module", 0.5)
def test_module_dtypes(cases: Select) -> None:
    """float64, float32, bfloat16 and float16 go in and come out."""
    for case in cases("dtype"):
        case.agrees("y")


@criterion("module", 0.5, testimony=True)
def test_module_device(cases: Select) -> None:
    """Any device will do: nothing is made or left behind on the CPU."""
    _device(cases, "y")


# ── cross: 10 ────────────────────────────────────────────────────────────────


@criterion("cross", 3, value=True)
def test_cross_plain(cases: Select) -> None:
    """Queries come from query, keys from key, values from value, of whatever lengths."""
    for case in cases("plain"):
        case.agrees("y")


@criterion("cross", 2, value=True)
def test_cross_mask(cases: Select) -> None:
    """A mask (B, Tq, Tk) or (Tq, Tk) holds for every head; an empty row gives zeros before W_O."""
    for case in cases("mask"):
        case.agrees("y")


@criterion("cross", 1, value=True)
def test_cross_self(cases: Select) -> None:
    """self_attention gives the module one sequence three times."""
    for case in cases("self"):
        case.agrees("y")


@criterion("cross", 1, value=True)
def test_cross_across(cases: Select) -> None:
    """cross_attention asks with the target and reads from the memory."""
    for case in cases("across"):
        case.agrees("y")


@criterion("cross", 1)
def test_cross_gradients(cases: Select) -> None:
    """Gradients reach query, key, value and all four weights, and are finite for a query that sees nothing."""
    for case in cases("gradient"):
        case.gradients(*case.probe.report)
    for case in cases("empty-gradient"):
        case.finite("d_query", "d_key", "d_value", *WEIGHT_GRADIENTS)


@criterion("cross", 0.5)
def test_cross_train(cases: Select) -> None:
    """Train and eval agree: no dropout is asked for."""
    for case in cases("train"):
        case.agrees(*case.probe.report)


@criterion("cross", 0.5)
def test_cross_life(cases: Select) -> None:
    """The weights are registered; calls, copies and reloaded states agree; misfits are refused."""
    for case in cases("structure"):
        _structure(case)
    for case in cases("life"):
        case.agrees(*case.probe.report)
    for case in cases("untouched"):
        case.untouched()
    for case in cases("refuse"):
        case.refuses()


@criterion("cross", 0.5)
def test_cross_dtypes(cases: Select) -> None:
    """float64, float32, bfloat16 and float16 go in and come out."""
    for case in cases("dtype"):
        case.agrees("y")


@criterion("cross", 0.5, testimony=True)
def test_cross_device(cases: Select) -> None:
    """Any device will do: nothing is made or left behind on the CPU."""
    _device(cases, "y")


# ── library: 8 ───────────────────────────────────────────────────────────────


@criterion("library", 4, value=True)
def test_library_values(cases: Select) -> None:
    """The library's module computes what the formula gives with these weights."""
    for case in cases("values"):
        case.agrees("y")


@criterion("library", 1, testimony=True)
def test_library_facts(cases: Select) -> None:
    """It is an nn.MultiheadAttention: batch first, without biases, in eval mode."""
    for case in cases("facts"):
        if not case.flag("right"):
            raise case.fail("to_library should return an nn.MultiheadAttention")
        if not case.flag("m.batch_first"):
            raise case.fail("batch_first is not set: the module would read (T, B, d_model)")
        if case.value("m.in_proj_bias") is not None or case.value("m.out_proj.bias") is not None:
            raise case.fail("the module has biases, and the formula has none: bias=False")
        if case.flag("m.training"):
            raise case.fail("the module is still in training mode: call eval() on it")


@criterion("library", 3, value=True)
def test_library_mask(cases: Select) -> None:
    """The mask means to the library what it means in the lesson."""
    for case in cases("mask"):
        case.agrees("y")


# ── cost: 6 ──────────────────────────────────────────────────────────────────


@criterion("cost", 2, value=True)
def test_cost_parameters(cases: Select) -> None:
    """parameter_count counts the weights of all four projections."""
    for case in cases("parameters"):
        case.agrees("n")


@criterion("cost", 3, value=True)
def test_cost_flops(cases: Select) -> None:
    """flop_count counts every matrix product of one forward, a multiply-add as 2."""
    for case in cases("flops"):
        case.agrees("n")


@criterion("cost", 1)
def test_cost_refuses(cases: Select) -> None:
    """A d_model that num_heads does not divide is refused with a ValueError."""
    for case in cases("refuse"):
        case.refuses()


# ── heads: 6 ─────────────────────────────────────────────────────────────────


@criterion("heads", 3, value=True)
def test_heads_pictures(cases: Select) -> None:
    """One heat map for each head asked for, in order: rows are queries, columns keys."""
    for case in cases("figure"):
        _shows(case)


@criterion("heads", 2)
def test_heads_labels(cases: Select) -> None:
    """The tokens label both axes, each at its own row and column."""
    for case in cases("figure"):
        tokens = _tokens(case)
        for place, heat in enumerate(case.pictures("figure")):
            for axis, labels in (("column (key)", heat.x), ("row (query)", heat.y)):
                if labels != tokens:
                    raise case.fail(
                        f"heat map {place}: {axis} labels should be {tokens}, they are {own(str(labels))}"
                    )


@criterion("heads", 1)
def test_heads_titles(cases: Select) -> None:
    """Each title holds its head's number, as given in heads."""
    for case in cases("figure"):
        for heat, head in zip(case.pictures("figure"), case.input("asked"), strict=False):
            if int(head) not in heat.numbers:
                raise case.fail(
                    f"a title should hold the head's number {head}, it is {own(repr(heat.title))}"
                )


def _shows(case: Case) -> None:
    maps, asked, weights = case.pictures("figure"), case.input("asked"), case.input("weights")
    if len(maps) != len(asked):
        raise case.fail(f"expected {len(asked)} heat maps, got {len(maps)}")
    for place, (heat, head) in enumerate(zip(maps, asked, strict=True)):
        want = weights[head]
        if heat.array.shape != want.shape:
            raise case.fail(
                f"heat map {place} has shape {heat.array.shape}, expected (Tq, Tk) = {want.shape}"
            )
        if abs(heat.array - want).max() > 1e-2:
            turned = heat.array.shape == want.T.shape and abs(heat.array - want.T).max() < 1e-2
            said = "is turned: its rows are keys" if turned else f"does not show the weights of head {head}"
            raise case.fail(f"heat map {place} {said}")


# ── shared ───────────────────────────────────────────────────────────────────


def _untouched(cases: Select) -> None:
    for case in cases("untouched"):
        case.untouched()


def _device(cases: Select, *names: str) -> None:
    for case in cases("device"):
        case.portable(*names)


def _structure(case: Case) -> None:
    if not case.flag("is_module"):
        raise case.fail("the class should be an nn.Module")
    case.names()
    if case.flag("unregistered"):
        names = own(", ".join(case.texts("unregistered")))
        raise case.fail(
            f"{names} is not a trainable parameter of the module: no optimizer would ever change it"
        )
    if case.flag("unsaved"):
        raise case.fail(f"{own(', '.join(case.texts('unsaved')))} is missing from state_dict()")
    if case.flag("shared"):
        raise case.fail("two of the weights are one and the same tensor")
    if case.flag("extra"):
        names = own(", ".join(case.texts("extra")))
        raise case.fail(f"trainable besides W_q, W_k, W_v and W_o: {names}; the formula has no other weights")
    if "y2" in case.probe.report:
        off = case.off("y2")
        if off is not None:
            raise case.fail(
                f"after a step of training through parameters() the module's answer is wrong: {off.text}"
            )


def _tokens(case: Case) -> tuple[str, ...]:
    arguments = case.probe.script[0]["args"]
    assert isinstance(arguments, list)
    return tuple(arguments[1])
