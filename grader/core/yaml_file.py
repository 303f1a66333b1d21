"""A lesson author's YAML file as plain data that still knows its lines."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import yaml

from .errors import LessonError, MachineError, of_the_machine

Loc = tuple[int | str, ...]


@dataclass(frozen=True, slots=True)
class YamlText:
    """One file: how it is called in messages, its data, and the nodes the data came from."""

    shown: str
    data: object
    node: yaml.Node

    def error(self, loc: Loc, problem: str) -> LessonError:
        """The one-line error for the deepest part of `loc` (keys and indices) that is there."""
        return _error(self.shown, _line(self.node, loc), problem)


def read_yaml(path: Path, shown: str, *, listed: bool = False) -> YamlText:
    """The mapping (or list) in `path`; safe YAML in UTF-8, no key twice.

    Raises LessonError with file and line; MachineError where the file cannot be read now.
    """
    try:
        source = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise LessonError(f"{shown}: byte {error.start} is not UTF-8; save the file as UTF-8") from None
    except OSError as error:
        if of_the_machine(error):
            raise MachineError(f"{shown}: cannot be read ({error.strerror}); try again") from None
        raise LessonError(f"{shown}: cannot be read ({error.strerror}); check the file") from None
    # The loader in C is several times as fast; not every PyYAML has it.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)(source)
    try:
        node = loader.get_single_node()
        if not isinstance(node, yaml.SequenceNode if listed else yaml.MappingNode):
            as_list = "expected a list, one entry after the other; begin each with `- `"
            as_fields = "expected fields such as `title: ...` at the top; write them as a mapping"
            raise _error(shown, 1, as_list if listed else as_fields)
        data = loader.construct_document(node)
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise _error(shown, line, f"not valid YAML ({error.problem}); correct the line") from None
    except yaml.YAMLError as error:
        reason = str(error).splitlines()[0]
        raise LessonError(f"{shown}: not valid YAML ({reason}); correct the file") from None
    except ValueError as error:  # a whole number of thousands of digits, a thirteenth month
        raise LessonError(
            f"{shown}: a number or a date cannot be read ({str(error).partition(':')[0]}); correct the file"
        ) from None
    finally:
        loader.dispose()
    for line, key in _repeated_keys(node):
        raise _error(shown, line, f"`{key}` stands here twice; keep one")
    return YamlText(shown, data, node)


def _error(shown: str, line: int, problem: str) -> LessonError:
    return LessonError(f"{shown}, line {line}: {problem}")


def _repeated_keys(node: yaml.Node) -> Iterator[tuple[int, str]]:
    """Keys given twice in one mapping, which YAML itself would pass over in silence."""
    if isinstance(node, yaml.MappingNode):
        seen: set[str] = set()
        for key, value in node.value:
            if key.value in seen:
                yield key.start_mark.line + 1, key.value
            seen.add(key.value)
            yield from _repeated_keys(value)
    elif isinstance(node, yaml.SequenceNode):
        for item in node.value:
            yield from _repeated_keys(item)


def _line(node: yaml.Node, loc: Loc) -> int:
    line: int = node.start_mark.line + 1
    for part in loc:
        if isinstance(node, yaml.MappingNode):
            pairs = [(key, value) for key, value in node.value if key.value == str(part)]
            if not pairs:
                break
            key, node = pairs[-1]
            line = key.start_mark.line + 1
        elif isinstance(node, yaml.SequenceNode) and isinstance(part, int):
            node = node.value[part]
            line = node.start_mark.line + 1
        else:
            break
    return line
