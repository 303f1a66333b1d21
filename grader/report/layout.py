"""The page of the terminal report: its width, its alphabet, and the few shapes of paragraph on it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from io import StringIO
from typing import TYPE_CHECKING

from grader.core.text import commandless

from . import signs

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.table import Table
    from rich.text import Text

NARROWEST, WIDEST = 20, 100  # columns: below, a word and its mark do not fit; above, lines tire the eye
_STYLES_AND_SPACES = re.compile(r"(?:\x1b\[[0-9;]*m| )+$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Page:
    """What every paragraph needs to know of the paper it is written on."""

    width: int
    unicode: bool

    def text(self, *spans: str | tuple[str, str]) -> Text:
        """Words, each with its style or none, never read as markup; a word longer than the line is folded."""
        from rich.text import Text

        text = Text(overflow="fold", no_wrap=False)
        for span in spans:
            words, style = (span, "") if isinstance(span, str) else span
            text.append(signs.spelled(words, unicode=self.unicode), style)
        return text

    def mark(self, status: str) -> Text:
        """The sign of a status."""
        return self.text((signs.mark(status, unicode=self.unicode), signs.STYLES.get(status, "")))

    def marked(self, status: str, *lines: Text) -> Table:
        """The sign of a status, and beside it lines that keep to their own margin."""
        return self.hanging(self.mark(status), *lines)

    def hanging(self, label: Text, *lines: Text) -> Table:
        """A label, and beside it lines that keep to their own margin."""
        from rich.table import Table
        from rich.text import Text

        table = Table.grid(padding=(0, 1, 0, 0))
        table.add_column(no_wrap=True, width=label.cell_len)
        table.add_column(overflow="fold")
        table.add_row(label, Text("\n").join(lines))
        return table

    def stack(self, *parts: RenderableType) -> RenderableType:
        """Paragraphs without a blank line between them."""
        from rich.console import Group

        return Group(*parts)

    def under(self, *parts: RenderableType) -> RenderableType:
        """Paragraphs two columns in."""
        from rich.padding import Padding

        return Padding(self.stack(*parts), (0, 0, 0, 2))

    def write(self, blocks: Iterable[RenderableType], *, colour: bool) -> str:
        """The blocks as text, a blank line between each two; neither terminal nor environment is asked."""
        from rich.console import Console

        file = StringIO()
        console = Console(
            file=file,
            width=self.width,
            force_terminal=colour,
            no_color=not colour,
            force_jupyter=False,
            color_system="standard" if colour else None,
            legacy_windows=False,
            highlight=False,
            markup=False,
            emoji=False,
            _environ={},
        )
        for block in blocks:
            console.print(block)
            console.print()
        tidy = _STYLES_AND_SPACES.sub(lambda found: found.group().replace(" ", ""), file.getvalue())
        return commandless(tidy.rstrip("\n") + "\n")
