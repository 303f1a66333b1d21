"""A million frames, each made from the last ones that reached new code: `make fuzz`, `python -m tests.tools.fuzz.frames`.

It needs the extra `fuzz`. It ends with an exit code other than 0 as soon as anything but a WireError comes out of the
reading, one frame takes longer than ten seconds, or memory grows beyond two GiB; it then prints that frame.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import atheris

with atheris.instrument_imports(
    include=[
        "grader.worker.wire",
        "grader.sandbox.frames",
        "grader.lesson.answers",
        "grader.lesson.heat_maps",
        "grader.core.text",
    ]
):
    from grader.worker.wire import LENGTHS
    from tests.tools.fuzz.reading import honest, read, whole

CUT = b"\n\n"  # between head and body, in what the fuzzer changes
RAW, FITTING = 0, 1
ODD = ("NaN", "Infinity", "1e999", "1e308", "-1", "true", "null", "9999999999999999999999", "[[[[", "]]]]", "{}", "[0]", r"\\ud800")  # fmt: skip  # noqa: E501


def made(data: bytes) -> bytes:
    """The frame that some bytes stand for: as they are, or as a head and a body whose lengths fit."""
    if data[:1] == bytes([RAW]):
        return data[1:]
    head, _, body = data[1:].partition(CUT)
    return whole(head, body)


def begin(folder: Path) -> None:
    """Honest frames, which the fuzzer starts from."""
    for number, (_, frame) in enumerate(honest()):
        size = int.from_bytes(frame[:4], "big")
        head, body = frame[LENGTHS.size : LENGTHS.size + size], frame[LENGTHS.size + size :]
        (folder / f"{number}-raw").write_bytes(bytes([RAW]) + frame)
        (folder / f"{number}-fitting").write_bytes(bytes([FITTING]) + head + CUT + body)


def one(data: bytes) -> None:
    """Read the frame that some bytes stand for."""
    read(made(data))


def tokens() -> str:
    """Pieces of heads, which changes are made of too."""
    words = sorted({word for head, _ in honest() for word in re.findall(r"[a-z_$]+", repr(head))})
    names = [f'\\"{word}\\":' for word in words]
    return "".join(f'"{piece}"\n' for piece in (*names, *ODD))


def fuzz(folder: Path, runs: int, seed: int) -> None:
    """Read so many frames, in this process, which libFuzzer ends."""
    begin(folder)
    (folder.parent / "tokens").write_text(tokens(), "utf-8")
    limits = ["-max_len=4096", "-timeout=10", "-rss_limit_mb=2048", "-print_final_stats=1"]
    kept = [f"-dict={folder.parent}/tokens", f"-artifact_prefix={folder.parent}/"]
    atheris.Setup([sys.argv[0], f"-runs={runs}", f"-seed={seed}", *limits, *kept, str(folder)], one)
    atheris.Fuzz()


def main() -> None:
    """Read a million frames in a process of its own; its exit code is ours."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--runs", type=int, default=1_000_000)
    options.add_argument("--seed", type=int, default=1)
    options.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.folder is not None:
        fuzz(asked.folder, asked.runs, asked.seed)
        return
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place) / "frames"
        folder.mkdir()
        command = [sys.executable, "-m", "tests.tools.fuzz.frames", "--folder", str(folder)]
        done = subprocess.run([*command, f"--runs={asked.runs}", f"--seed={asked.seed}"], check=False)
        for found in sorted(
            path for path in Path(place).iterdir() if path.is_file() and path.name != "tokens"
        ):
            sys.stdout.write(f"{found.name.partition('-')[0]}, as bytes: {made(found.read_bytes())!r}\n")
    sys.exit(done.returncode)


if __name__ == "__main__":
    main()
