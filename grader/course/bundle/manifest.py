"""The manifest of a bundle: what it is, made from what, with the digest of everything in it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence

from grader import __version__
from grader.lesson.courses import MANIFEST

from .model import Item, Kind, Source


def manifest(kind: Kind, source: Source, items: Sequence[Item]) -> Item:
    """The manifest as an item of the bundle."""
    options = source.options
    plain = {
        "version": 1,
        "kind": kind.name,
        "audience": kind.audience,
        "made_by": f"attention-grader {__version__}",
        "lesson": source.lesson.slug,
        "title": source.title,
        "steps": [step.id for step in source.lesson.steps],
        "points": source.points,
        "due": options.due,
        "practice_quiz": list(options.practice_quiz),
        "files": {
            item.path: {"sha256": hashlib.sha256(item.data).hexdigest(), "bytes": len(item.data)}
            for item in sorted(items, key=lambda item: item.path)
        },
    }
    return Item(MANIFEST, (json.dumps(plain, indent=1, ensure_ascii=False) + "\n").encode())


def differences(items: Sequence[Item]) -> list[str]:
    """What is not as the bundle's own manifest says; ["no manifest"] without one."""
    held = {item.path: item for item in items}
    if MANIFEST not in held:
        return ["no manifest"]
    try:
        files = json.loads(held[MANIFEST].data)["files"]
        wanted = {str(path): str(entry["sha256"]) for path, entry in files.items()}
    except (ValueError, LookupError, TypeError, AttributeError):
        return [f"{MANIFEST} cannot be read"]
    found = {path: hashlib.sha256(item.data).hexdigest() for path, item in held.items() if path != MANIFEST}
    return [
        *(f"{path} is missing" for path in wanted if path not in found),
        *(f"{path} is not in the manifest" for path in found if path not in wanted),
        *(f"{path} was changed" for path in found if wanted.get(path, found[path]) != found[path]),
    ]
