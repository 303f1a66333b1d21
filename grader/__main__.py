"""`python -m grader` is the command `grader`; its workers are started before anything large is imported."""

import os
import signal
import sys
import time

from .startup import stand_alone

TYPE_CHECKING = False  # that of `typing`, which may not be imported before the command stands alone
if TYPE_CHECKING:
    from typing import NoReturn

    from .sandbox.client import Worker

FAILED, INTERRUPTED = 3, 130  # exit codes
AGAIN = 1.0  # seconds in which a second Ctrl-C is taken for the first
ELSEWHERE = ("--sealed", "--device", "--help")  # then other workers are needed, or none


def main(*, module: bool = False) -> "NoReturn":
    """Run the command, and end without taking apart what the operating system takes apart faster.

    `module` says that it was started by `python -m`.
    """
    code, words = FAILED, ""
    workers: tuple[Worker, ...] = ()
    try:
        stand_alone(module=module)
        _patient()
        fault = None
        try:
            workers = _head_start(sys.argv[1:])
        except Exception as error:  # noqa: BLE001  (said by the command, in its own words)
            fault = error
        from .cli import main as run

        run(workers, fault)
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else 0
    except KeyboardInterrupt:
        code, words = INTERRUPTED, "stopped"
    except BaseException as error:  # noqa: BLE001  (the command could not even be read)
        words = f"the grader itself could not start: {type(error).__name__}: {error}"
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # it ends here anyway: pressed twice, it may not cut the end
    for worker in workers:
        try:
            worker.close()
        except Exception:  # noqa: BLE001  (what is left of it ends with us)
            continue
    try:
        if words:
            sys.stderr.write(f"grader: {' '.join(words.split())}\n")
        sys.stdout.flush()
        sys.stderr.flush()
    except OSError:
        code = code or FAILED
    os._exit(code)


def _patient() -> None:
    """Let Ctrl-C interrupt once a second at most: pressed in haste, it may not cut the last words."""
    last = -AGAIN

    def interrupt(*_: object) -> None:
        nonlocal last
        if time.monotonic() - last >= AGAIN:
            last = time.monotonic()
            raise KeyboardInterrupt

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)


def _head_start(words: list[str]) -> "tuple[Worker, ...]":
    """A jailed worker and the reference's, where they will be needed; torch's import is the longest part."""
    if words[:1] not in (["grade"], ["hint"]) or any(word.split("=")[0] in ELSEWHERE for word in words):
        return ()
    from .grading.session import has_reference
    from .lesson.courses import said_in
    from .sandbox.client import start_both, start_jailed

    return start_both() if has_reference(said_in(words)) else (start_jailed(),)


if __name__ == "__main__":
    main(module=True)
