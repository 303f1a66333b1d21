"""`python -m grader` is the command `grader`; its workers are started before anything large is imported."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, NoReturn

if TYPE_CHECKING:
    from .sandbox import Worker

ELSEWHERE = ("--sealed", "--device", "--help")  # then other workers are needed, or none


def main() -> NoReturn:
    """Run the command, and end without taking apart what the operating system takes apart faster."""
    workers = _head_start(sys.argv[1:])
    from .cli import main as run

    try:
        run(workers)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0
    finally:
        for worker in workers:
            worker.close()
    try:
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        code = code or 1
    os._exit(code)


def _head_start(words: list[str]) -> tuple[Worker, ...]:
    """A jailed worker and the reference's, where they will be needed; torch's import is the longest part."""
    if words[:1] not in (["grade"], ["hint"]) or any(word.split("=")[0] in ELSEWHERE for word in words):
        return ()
    from .grading import has_reference
    from .sandbox import start_both, start_jailed

    return start_both() if has_reference(None) else (start_jailed(),)


if __name__ == "__main__":
    main()
