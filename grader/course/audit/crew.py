"""Does jobs in several processes, each with a bench of its own; or in this one, when there is to be one only."""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

from grader.core.errors import GraderError, MachineError

from .bench import Bench, Place
from .jobs import Finding, Job, Tick, do

CLOSING_SECONDS = 10.0  # for a process to end by itself


def work(place: Place, jobs: Sequence[Job], processes: int, tick: Tick) -> list[Finding]:
    """Everything the jobs found, in no order; `tick` is told how many variants are done. Raises GraderError."""
    count = min(processes, len(jobs))
    if count <= 1:
        found: list[Finding] = []
        with Bench(place) as bench:
            for job in jobs:
                found += do(bench, job, tick)
        return found
    crew = [_hire(place) for _ in range(count)]
    try:
        return _share_out(jobs, [connection for _, connection in crew], tick)
    except BaseException as error:
        died = [process.exitcode for process, _ in crew if _ended(process)]
        for process, _ in crew:
            process.terminate()
        if isinstance(error, EOFError):
            raise MachineError(f"a process of the audit died (exit codes {died}); run it again") from None
        raise
    finally:
        for process, connection in crew:
            connection.close()
            process.join(CLOSING_SECONDS)
            if process.is_alive():
                process.kill()


def _ended(process: BaseProcess) -> bool:
    """Whether a process is over, or ends in a moment."""
    process.join(0.2)
    return not process.is_alive()


def _hire(place: Place) -> tuple[BaseProcess, Connection]:
    context = multiprocessing.get_context("spawn")
    mine, theirs = context.Pipe()
    process = context.Process(target=serve, args=(theirs, place), daemon=True)
    process.start()
    theirs.close()
    return process, mine


def _share_out(jobs: Sequence[Job], crew: Sequence[Connection[Any, Any]], tick: Tick) -> list[Finding]:
    """Hand each process the next job as soon as it is free. Raises EOFError when one of them dies."""
    waiting = list(jobs)
    busy = list(crew)
    found: list[Finding] = []
    while busy:
        for connection in wait(busy):
            assert isinstance(connection, Connection)
            word, what = connection.recv()
            if word == "failed":
                raise what
            if word == "tick":
                tick(what)
                continue
            found += what
            if waiting:
                connection.send(waiting.pop(0))
            else:
                connection.send(None)
                busy.remove(connection)
    return found


def serve(connection: Connection[Any, Any], place: Place) -> None:
    """A process of the crew: does what it is sent until it is sent None, or nobody is there any more."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever stops the audit closes the connection
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    try:
        with Bench(place) as bench:
            connection.send(("done", []))
            while (job := connection.recv()) is not None:
                connection.send(("done", do(bench, job, lambda count: connection.send(("tick", count)))))
    except (EOFError, OSError):
        return
    except GraderError as error:
        connection.send(("failed", error))
    except Exception as error:  # noqa: BLE001  (told by the process that shows it)
        connection.send(("failed", MachineError(f"the audit failed: {type(error).__name__}: {error}")))
