"""Records built by hand, for the tests of the reports."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from grader.core.records import CheckRecord, MistakeRecord, Record, StepRecord, SubmissionRecord

ENVIRONMENT = {
    "python": "3.11.9",
    "torch": "2.13.0",
    "device": "cpu",
    "isolation": "sealed",
    "platform": "Linux",
}


def check(name: str, status: str = "passed", points: float = 0, most: float = 0, **more: Any) -> CheckRecord:
    fields = {"title": f"The {name}", "points": points, "max_points": most, **more}
    return CheckRecord(id=name, status=status, **fields)


def mistake(name: str, **more: Any) -> MistakeRecord:
    fields = {
        "title": f"the {name} is wrong",
        "message": f"What {name} does.",
        "hint": f"Mend {name}.",
        **more,
    }
    return MistakeRecord(id=name, **fields)


def step(name: str, status: str = "passed", score: float = 0, most: float = 10, **more: Any) -> StepRecord:
    fields = {"title": name.capitalize(), "checks": (), **more}
    return StepRecord(id=name, status=status, score=score, max_score=most, **fields)


def record(*steps: StepRecord, **more: Any) -> Record:
    fields = {
        "lesson": "soup",
        "submission": SubmissionRecord(name="mia.zip", sha256="ab" * 32),
        "score": sum(one.score for one in steps),
        "max_score": sum(one.max_score for one in steps),
        "seed": 10100,
        "environment": ENVIRONMENT,
        "seconds": 2.34,
        **more,
    }
    return Record(steps=steps, **fields)


NO_GPU = check("cuda", "not_reached", title="Runs on a GPU", message="this machine has no CUDA device")
BOIL = step(
    "boil",
    "partial",
    7.5,
    20,
    title="Boil, and stir all the while",
    hint="Draw the pot.",
    checks=(
        check("shape", "passed", 2, 2),
        check(
            "values",
            "failed",
            0,
            12.5,
            title="The soup is that of the formula",
            message="Every pot is softmax(q kᵀ / √d_k).\n"
            "expected: pots (B=2, h=3)\n"
            "came: the right shape, other values; 5 of 6 numbers differ\n"
            "most at [b=1, pot 2]: expected 0.4127, came 1.3301",
        ),
        check("lid", "failed", 0, 5.5, message="expected a lid, came none at [0, 1]\nand more"),
        NO_GPU,
    ),
    mistakes=(
        mistake(
            "salt",
            title="the pots are not divided by √d_k",
            message="On every probe your pots are those of one who forgets to divide.",
            hint="Divide q kᵀ by the square root of q's last dimension before the softmax.",
        ),
    ),
    review=("the source mentions ready-made soup; it was not used",),
)
MIDWAY = record(
    step(
        "peel",
        "passed",
        15,
        15,
        advice=("one cut does all of them",),
        checks=(check("cut", "passed", 15, 15), NO_GPU),
    ),
    BOIL,
    step("注意", "failed", 0, 6, title="注意 🎨 serve", note="one call took longer than 10 s"),
    step("salt", "not_attempted", 0, 5, note="salt.py has no `salt`; the nearest name in it is `slat`"),
    step("menu", "not_reached", 0, 20, note="uses your boil, whose mistake has no name"),
    step("bill", "broken", 0, 10, note="the expected answers could not be computed"),
    step("tip", "passed", 8, 8, note="judged with your boil's mistake carried forward"),
    warnings=("mia.zip: the link 'x' was skipped",),
)
SKELETON = record(
    step("peel", "not_attempted", note="peel.py is still the skeleton", hint="Take the knife first."),
    step("boil", "not_attempted", note="boil.py is still the skeleton", hint="Take the pot."),
)
FULL = record(step("peel", "passed", 10, 10), step("boil", "passed", 10, 10))

_SCRAPS = [
    "[bold red]",
    "[/]",
    ":smile:",
    "\x1b[31m",
    "\u202e",
    "é́",
    "好好好",
    "🧑‍🍳",
    "x" * 60,
    "]]>",
    "\r\n",
    "\n\ta\tb",
    "\x00",
]
_TEXT = st.lists(st.sampled_from(_SCRAPS) | st.text(max_size=20), max_size=4).map("".join)
_POINTS = st.sampled_from([0.0, 0.3333, 5.0, 7.25, 20.0, 1e9])


def _some(strategy: st.SearchStrategy[Any], most: int = 3) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(strategy, max_size=most).map(tuple)


_CHECKS = st.builds(
    CheckRecord,
    id=_TEXT,
    title=_TEXT,
    status=st.sampled_from(["passed", "failed", "not_reached", "broken"]),
    points=_POINTS,
    max_points=_POINTS,
    message=_TEXT,
)
_STEPS = st.builds(
    StepRecord,
    id=_TEXT,
    title=_TEXT,
    status=st.sampled_from(["passed", "partial", "failed", "not_attempted", "not_reached", "broken"]),
    score=_POINTS,
    max_score=_POINTS,
    checks=_some(_CHECKS),
    review=_some(_TEXT, 2),
    mistakes=_some(st.builds(MistakeRecord, id=_TEXT, title=_TEXT, message=_TEXT, hint=_TEXT), 2),
    note=_TEXT,
    advice=_some(_TEXT, 2),
    hint=_TEXT,
    prints=_TEXT,
)
RECORDS = st.builds(
    Record,
    lesson=_TEXT,
    submission=st.builds(SubmissionRecord, name=_TEXT, sha256=_TEXT),
    score=_POINTS,
    max_score=_POINTS,
    seed=st.integers(0, 2**63),
    steps=_some(_STEPS, 4),
    environment=st.dictionaries(st.sampled_from([*ENVIRONMENT, "more"]), _TEXT, max_size=4),
    warnings=_some(_TEXT, 2),
    seconds=st.floats(0, 200),
)
