"""Where the engine lies: the one module that works it out from its own place, so that no move of another can err."""

from __future__ import annotations

from pathlib import Path

ENGINE = Path(__file__).resolve().parent.parent  # holds cli.py
HOME = ENGINE.parent  # a checkout, or the folder that installed packages lie in
WORKER = ENGINE / "worker"  # all of ours that enters the jail
