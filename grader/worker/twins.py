"""One fresh process imports torch, then splits: a worker for the reference outside, one in the jail.

Neither has seen anything when they part. The process itself stays behind as their parent and does no more.
"""

from __future__ import annotations

import os
import sys

from .children import take
from .entering import enter, wait_until_open
from .zygote import die_with_parent, prepare, serve_requests

REFUSED = 72  # exit status of a worker that could not get into its jail


def main() -> None:
    """Arguments: worker folder, five descriptors (the reference's two, the guest's two, the jail's), paths."""
    ours, guests, jail = [*map(int, sys.argv[2:4])], [*map(int, sys.argv[4:6])], int(sys.argv[6])
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.dup2(null, 1)
    os.close(null)
    die_with_parent()
    torch = prepare()
    if not os.fork():
        _part([*guests, jail])
        _serve(ours, torch)
    if not os.fork():
        _part(ours)
        _jailed(guests, jail, torch)
    for pipe in (*ours, *guests, jail):
        os.close(pipe)
    for _ in range(2):
        os.wait()


def _serve(pipes: list[int], torch: object) -> None:
    seat = serve_requests(pipes[0], pipes[1], torch)
    if seat is not None:
        take(seat)
    os._exit(0)


def _part(others: list[int]) -> None:
    for pipe in others:
        os.close(pipe)
    die_with_parent()
    os.setsid()


def _jailed(pipes: list[int], jail: int, torch: object) -> None:
    """Enter the jail and serve in it, in a child: only that is in the jail's own table of processes.

    Where there are no namespaces to enter, this process serves itself.
    """
    try:
        holder, environment = wait_until_open(jail)
        if holder:
            enter(holder, powers=os.getuid() == 0)
        os.close(jail)
        os.environ.clear()
        os.environ.update(environment)
    except BaseException as error:
        sys.stderr.write(f"{error}\n")
        sys.stderr.flush()
        os._exit(REFUSED)
    pid = os.fork() if holder else 0
    if not pid:
        _serve(pipes, torch)
    for pipe in pipes:
        os.close(pipe)
    os.waitpid(pid, 0)
    os._exit(0)
