"""Rows 30 to 43: forging the verdict. Read as text by model.py, run only where a pack puts it."""


@attack(rows=(30,), kind="alone", shows="points", when="import")
def exit_well_at_import(at):
    """ends its process with exit status 0 while it is imported"""
    import os

    os._exit(0)


@attack(rows=(30, 42), kind="alone", shows="points")
def exit_well_in_the_call(at):
    """ends its process with exit status 0 in the call"""
    import os

    os._exit(0)


@attack(rows=(31,), kind="answer", shows="points")
def raise_system_exit(at, name, args):
    """raises SystemExit(0)"""
    raise SystemExit(0)


@attack(rows=(31,), kind="answer", shows="points")
def leave_by_pytest_exit(at, name, args):
    """ends a run of pytest as a success"""
    import pytest

    pytest.exit("all passed", returncode=0)


@attack(rows=(32,), kind="alone", shows="points")
def exit_well_at_the_end(at):
    """registers an exit with status 0 for the end of its process"""
    import atexit
    import os

    atexit.register(lambda: os._exit(0))


@attack(rows=(32,), kind="answer", shows="points")
def exit_well_when_forgotten(at, name, args):
    """answers with an object that ends the process when it is thrown away"""
    import os

    import torch

    class Mine(torch.Tensor):
        def __del__(self):
            os._exit(0)

    return torch.zeros(2).as_subclass(Mine)


@attack(rows=(32,), kind="alone", shows="points")
def exit_well_from_a_thread(at):
    """lets a thread end the process a moment later"""
    import os
    import threading
    import time

    threading.Thread(target=lambda: (time.sleep(0.02), os._exit(0)), daemon=True).start()
    time.sleep(0.3)


@attack(rows=(33,), kind="quiet", shows="points")
def write_the_record(at):
    """writes the record itself, with full points"""
    import json
    import os

    with open(at.record, "w") as file:
        json.dump({"version": 1, "score": 100, "max_score": 100, "steps": []}, file)
    os.chmod(at.record, 0o444)


@attack(rows=(35,), kind="alone", shows="record", weak=True)
def block_the_record(at):
    """makes a folder where the record is to be written"""
    import os

    if os.path.isfile(at.record):
        os.unlink(at.record)
    os.makedirs(at.record + "/full", exist_ok=True)


@attack(rows=(34,), kind="quiet", shows="changed", weak=True)
def change_the_harness(at):
    """appends a line to the grader's own code"""
    with open(at.project + "/grader/worker/tidy.py", "a") as file:
        file.write(f"\n# {at.name}\n")


@attack(rows=(34,), kind="quiet", shows="changed", weak=True)
def change_the_checks(at):
    """appends a line to the lesson's checks"""
    with open(at.project + "/exercises/multi_head_attention/checks.py", "a") as file:
        file.write(f"\n# {at.name}\n")


@attack(rows=(36,), kind="answer", shows="points")
def patch_the_report(at, name, args):
    """makes every assertion of a test framework pass"""
    import unittest

    import _pytest.runner

    unittest.TestCase.assertTrue = unittest.TestCase.assertEqual = lambda *a, **k: None
    _pytest.runner.check_interactive_exception = lambda *a, **k: False


@attack(rows=(37,), kind="alone", shows="points")
def print_a_summary(at):
    """prints a summary as a grader would, on every output it finds"""
    import os

    text = "\n100 passed in 0.01s\nSCORE: 100/100\n"
    print(text)
    for number in (1, 2):
        os.write(number, text.encode())


@attack(rows=(38,), kind="alone", shows="points")
def forge_frames(at):
    """writes verdicts and answers of its own to every descriptor it has"""
    import json
    import os
    import struct

    frames = b'{"points": true, "others": true}\n'
    for head in (
        {"kind": "done", "prints": "", "points": 100},
        {"kind": "verdict", "step": "concat", "status": "passed", "points": 10},
        {"kind": "end", "group": "concat", "how": "done", "what": ""},
    ):
        data = json.dumps(head).encode()
        frames += struct.pack(">IQ", len(data), 0) + data
    for number in range(3, 64):
        try:
            os.write(number, frames)
        except OSError:
            pass
    os._exit(1)


@attack(rows=(38,), kind="alone", shows="record", when="import")
def forge_a_start(at):
    """says on every descriptor, the pipe of its own process among them, that it has not begun yet, and ends"""
    import json
    import os
    import struct
    import sys

    head = json.dumps({"kind": "begin", "what": "start"}).encode()
    pipes = [*range(3, 64)]
    frame = sys._getframe()
    while frame is not None:
        pipes += [value for value in frame.f_locals.values() if type(value) is int and 2 < value < 2**16]
        frame = frame.f_back
    for number in pipes:
        try:
            os.write(number, struct.pack(">IQ", len(head), 0) + head)
        except OSError:
            pass
    os._exit(71)


@attack(rows=(38,), kind="alone", shows="record", when="import")
def end_as_a_fault_of_ours(at):
    """ends at once with the very exit status of a child that could not be set up"""
    import os

    os._exit(71)


@attack(rows=(38,), kind="alone", shows="record")
def hang_up_and_stay(at):
    """closes every descriptor and waits"""
    import os
    import time

    os.closerange(3, 64)
    time.sleep(3)


@attack(rows=(38,), kind="alone", shows="record")
def forge_progress_without_end(at):
    """says a thousand times that the next call begins, so that no call ever takes too long"""
    import json
    import os
    import struct
    import time

    head = json.dumps({"kind": "begin", "what": "import"}).encode()
    for _ in range(40):
        for number in range(3, 16):
            try:
                os.write(number, struct.pack(">IQ", len(head), 0) + head)
            except OSError:
                pass
        time.sleep(0.3)


@attack(rows=(38,), kind="alone", shows="record")
def forge_another_groups_end(at):
    """speaks for the worker: another group's end, a greeting, the end of all groups"""
    import json
    import os
    import struct

    told = b""
    for head in (
        {"kind": "end", "group": 0, "how": "exit 71", "begun": False},
        {"kind": "hello", "torch": "0", "let": ["everything"]},
        {"kind": "from", "group": 1},
        {"kind": "idle"},
    ):
        data = json.dumps(head).encode()
        told += struct.pack(">IQ", len(data), 0) + data
    for number in range(3, 64):
        try:
            os.write(number, told)
        except OSError:
            pass
    os._exit(0)


@attack(rows=(40,), kind="alone", shows="others")
def kill_the_parent(at):
    """kills the process that runs it"""
    import os
    import signal

    os.kill(os.getppid(), signal.SIGKILL)


@attack(rows=(40,), kind="alone", shows="record", weak=True)
def kill_all_above(at):
    """kills every process above it that belongs to this run"""
    import os
    import signal

    above, pid = [], os.getppid()
    while pid > 1 and len(above) < 5:
        words = open(f"/proc/{pid}/cmdline", "rb").read()
        if at.run.encode() not in words and at.project.encode() not in words:
            break
        above.append(pid)
        pid = int(open(f"/proc/{pid}/stat").read().rpartition(")")[2].split()[1])
    for pid in above[::-1]:
        os.kill(pid, signal.SIGKILL)


@attack(rows=(40, 67), kind="quiet", shows="told", weak=True)
def signal_others(at):
    """asks whether it may signal other processes (signal 0, which does nothing)"""
    import os

    for pid in (1, os.getppid(), *range(2, 400)):
        try:
            os.kill(pid, 0)
        except OSError:
            continue
        if pid != os.getpid():
            return f"did reach process {pid}"


@attack(rows=(40,), kind="quiet", shows="told")
def lower_the_parents_limits(at):
    """takes away its parent's open files by prlimit"""
    import os
    import resource

    now = resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE)
    resource.prlimit(os.getppid(), resource.RLIMIT_NOFILE, now)
    return "did set the parent's limits"


@attack(rows=(41,), kind="answer", shows="record")
def raise_odd_text(at, name, args):
    """raises a message of half characters, NUL and a million letters"""
    raise ValueError("\ud800\x00\udfff" + "x" * 1_000_000)


@attack(rows=(41,), kind="alone", shows="record", inert="a plain print refuses half characters itself")
def print_odd_text(at):
    """prints half characters and NUL"""
    print("\ud800\x00 \udfff \U0010ffff")


@attack(rows=(48,), kind="alone", shows="record")
def print_without_end(at):
    """prints 48 MiB"""
    for _ in range(48):
        print("x" * 2**20)
