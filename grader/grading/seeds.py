"""A seed of its own for each submission, out of a course's secret: what one record tells helps with no other."""

from __future__ import annotations

import hashlib
import hmac
from pathlib import Path

from grader.core.errors import InputError

SEED_BITS = 31
LEAST, MOST = 16, 4096  # bytes of a secret


def seed_for(secret: bytes, lesson: str, digest: str) -> int:
    """The seed of a submission (its content's digest): the same whenever it is graded, another for any other."""
    told = hmac.new(secret, f"{lesson}\n{digest}".encode(), hashlib.sha256).digest()
    return int.from_bytes(told[:4], "big") >> (32 - SEED_BITS)


def read_secret(path: Path) -> bytes:
    """A course's secret from a file, without white space around it. Raises InputError."""
    option = f"--seed-per-submission {path}"
    try:
        with path.open("rb") as file:
            secret = file.read(MOST + 1)
    except OSError as error:
        raise InputError(f"{option}: {error.strerror or error}") from None
    if len(secret) > MOST:
        raise InputError(f"{option}: a secret is at most {MOST} bytes long; is it the right file?")
    if len(secret.strip()) < LEAST:
        made = "python -c 'import secrets; print(secrets.token_hex())'"
        raise InputError(f"{option}: a secret needs at least {LEAST} bytes; make one with {made}")
    return secret.strip()
