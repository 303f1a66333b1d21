"""Options that many commands take."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

CourseOption = Annotated[
    Path | None,
    typer.Option(
        "--course",
        metavar="DIR",
        help="The folder that holds exercises/; else GRADER_COURSE, or the engine's own checkout.",
    ),
]
LessonOption = Annotated[str | None, typer.Option("--lesson", help="The lesson, where there are several.")]
