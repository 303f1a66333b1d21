from __future__ import annotations

from grader.observations import halts
from grader.transcript import Line, Loading, Raised, Transcript


def cut_off(line: int, seconds: str, label: str = "cell 2") -> tuple[str, Raised]:
    place = Line(f"hw.ipynb, {label}", line, "<module>", "fit()")
    return label, Raised(
        ("TimedOut", "BaseException"), f"it took longer than {seconds} s and was cut off", (place,)
    )


def test_a_place_that_stopped_in_several_processes_is_told_once() -> None:
    first = Loading(passed_over=(cut_off(3, "1.2"), ("cell 4", Raised(("ValueError",), "", ()))))
    second = Loading(passed_over=(cut_off(3, "1.3"), cut_off(5, "0.6"), cut_off(3, "0.3", "cell 3")))
    assert halts(Transcript({"project": first, "attend": second}, {})) == (
        "cell 2 stopped at line 3, `fit()`: it took longer than 1.2 s and was cut off",
        "cell 4 stopped: ValueError",
        "cell 2 stopped at line 5, `fit()`: it took longer than 0.6 s and was cut off",
        "cell 3 stopped at line 3, `fit()`: it took longer than 0.3 s and was cut off",
    )


def test_where_nothing_stopped_nothing_is_told() -> None:
    assert halts(Transcript({"project": Loading(found=("project",))}, {})) == ()
