"""By what a notebook, and the cells that are put into one, see that nbgrader or otter is grading it."""

from __future__ import annotations

from pathlib import Path

GRADING = "NBGRADER_EXECUTION"  # there while nbgrader grades: its graded cells say all there is to say
AUTOGRADE = "autograde"  # what it says while the points count
OTTER_FILES = Path("../source/files")  # otter's own copy, which no archive that was handed in replaces
OTTER_CONFIG = Path("../source/otter_config.json")  # there while otter grades
