"""Finds and fills the Jinja2 templates that pages are made of.

Templates lie in `templates/`, beside the engine's folder or inside it (where a package carries them along), or else
in the course folder: the nearest `templates/` above the current folder. Files only: nothing is imported to find them.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

from grader.errors import InputError

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["render", "template_folder", "template_text"]

PROOF = "quiz"  # a folder of that name tells our templates from others


def template_folder() -> Path:
    """The folder of the templates. Raises InputError where there is none."""
    here, engine = Path.cwd(), Path(__file__).resolve().parent.parent
    for place in (engine.parent, engine, here, *here.parents):
        if (place / "templates" / PROOF).is_dir():
            return place / "templates"
    raise InputError(f"{here}: no templates/{PROOF}/ here or above; go to the course folder")


def template_text(name: str) -> str:
    """A template's text as it stands, for styles and scripts. Raises InputError."""
    path = template_folder() / name
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror}); check the course folder") from None


def render(name: str, **values: object) -> str:
    """The template `name` filled with `values`: text is escaped, an unknown name is an error."""
    return _environment(template_folder()).get_template(name).render(values)


@functools.cache
def _environment(folder: Path) -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(folder),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
