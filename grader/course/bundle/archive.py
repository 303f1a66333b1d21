"""Archives that are the same bytes for the same items: sorted, one date, one compression."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterable

from .model import Item

LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the first date that a zip can hold
PLAIN, RUNNABLE = 0o100644, 0o100755
UNIX = 3


def packed(items: Iterable[Item], *, small: bool = True) -> bytes:
    """The items as a zip archive, each made small unless not. ValueError: two of them have one path."""
    buffer = io.BytesIO()
    seen: set[str] = set()
    way = zipfile.ZIP_DEFLATED if small else zipfile.ZIP_STORED
    with zipfile.ZipFile(buffer, "w", way) as archive:
        for item in sorted(items, key=lambda item: item.path):
            if item.path in seen:
                raise ValueError(f"two files of the bundle are called {item.path}")
            seen.add(item.path)
            info = zipfile.ZipInfo(item.path, LONG_AGO)
            info.create_system = UNIX
            info.external_attr = (RUNNABLE if item.executable else PLAIN) << 16
            archive.writestr(info, item.data, way, compresslevel=9)
    return buffer.getvalue()


def unpacked(data: bytes) -> list[Item]:
    """A bundle's items. ValueError: not an archive, or one that cannot be read."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return [
                Item(info.filename, archive.read(info), bool((info.external_attr >> 16) & 0o111))
                for info in archive.infolist()
                if not info.is_dir()
            ]
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, OSError) as error:
        raise ValueError(str(error)) from None
