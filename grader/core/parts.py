"""What to say where a part of the grader is not here: left out of a learner's wheel, or its packages not installed."""

from __future__ import annotations

__all__ = ["said_of_missing"]

STAFFS = (
    "course.audit",
    "course.bundle",
    "course.platforms.gradescope",
    "quiz.export",
    "quiz.importing",
    "quiz.stats",
)
ROOMS = tuple(f"grader.{name}" for name in STAFFS)
# What each extra of pyproject.toml brings, by the names that are imported.
EXTRAS = {
    "quiz": (
        "jinja2", "latex2mathml", "markdown_it", "markupsafe", "mdit_py_plugins", "rapidfuzz", "snowballstemmer",
        "spellchecker",
    ),
    "staff": ("bs4", "hatchling", "markdownify", "scipy"),
}  # fmt: skip


def said_of_missing(error: ModuleNotFoundError) -> str:
    """One line on the part that is not here, "" where the missing module is of no such part."""
    name = error.name or ""
    if any(name == room or name.startswith(f"{room}.") for room in ROOMS):
        return (
            "this part of the grader is not in a learner's bundle;"
            " whoever gives the course has it, in the course's checkout or in a staff bundle"
        )
    for extra, packages in EXTRAS.items():
        if name.split(".", maxsplit=1)[0] in packages:
            return f"this needs the {extra} part: pip install 'attention-grader[{extra}]'"
    return ""
