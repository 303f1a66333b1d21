"""Finds and fills the Jinja2 templates that pages are made of.

Templates lie in `templates/`, beside the engine's folder or, where a package carries them along, inside it.
"""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

from .errors import MachineError
from .paths import ENGINE, HOME

if TYPE_CHECKING:
    from jinja2 import Environment

__all__ = ["render", "template_folder", "template_text"]

PROOF = "quiz"  # a folder of that name tells our templates from others


def template_folder() -> Path:
    """The folder of the templates. Raises MachineError where there is none."""
    for place in (HOME, ENGINE):
        if (place / "templates" / PROOF).is_dir():
            return place / "templates"
    raise MachineError(f"{HOME}: no templates/{PROOF}/ beside the engine; install it again")


def template_text(name: str) -> str:
    """A template's text as it stands, for styles and scripts. Raises MachineError."""
    path = template_folder() / name
    try:
        return path.read_text(encoding="utf-8")
    except OSError as error:
        raise MachineError(f"{path}: cannot be read ({error.strerror}); install the engine again") from None


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
