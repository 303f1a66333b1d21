"""Reads YAML that means what it looks like: no tags, no anchors, no bare `no` that becomes false."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import yaml

from grader.core.errors import LessonError
from grader.core.text import printable
from grader.core.yaml_file import YamlText, read_yaml

__all__ = ["read_plain_yaml"]

MAX_BYTES = 8 * 1024 * 1024
MAX_DEPTH = 30
# YAML 1.1 reads far more as truth values and numbers than anyone expects: no, on, 010, 1_000, 12:30.
TRUTH = re.compile(r"(?i:true|false)")
WHOLE = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
DECIMAL = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|[-+]?\.(?i:inf|nan)")
PLAIN_FORMS = {"bool": TRUTH, "int": WHOLE, "float": DECIMAL, "timestamp": re.compile(r"(?!)")}


def read_plain_yaml(path: Path, shown: str) -> YamlText:
    """The mapping in `path`. Raises LessonError, with file and line, for what this module forbids."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise LessonError(f"{shown}: cannot be read ({error.strerror}); check the file") from None
    if len(data) > MAX_BYTES:
        raise LessonError(f"{shown}: larger than {MAX_BYTES // 2**20} MiB; no bank of questions is")
    for line, problem in _surprises(data.decode("utf-8-sig", errors="replace")):
        raise LessonError(f"{shown}, line {line}: {problem}")
    source = read_yaml(path, shown)
    for line, problem in _misread(source.node):
        raise LessonError(f"{shown}, line {line}: {problem}")
    return source


def _surprises(text: str) -> Iterator[tuple[int, str]]:
    """Aliases, tags, depth, a mapping as a key: found in the stream of events, before anything is built."""
    open_ones: list[
        list[int]
    ] = []  # of each open collection: children at once, of which one is a key; children
    line = 1
    try:
        for event in yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
            line = event.start_mark.line + 1 if event.start_mark else line
            if isinstance(event, yaml.CollectionEndEvent):
                open_ones.pop()
            elif isinstance(event, yaml.NodeEvent):
                is_key = bool(open_ones) and open_ones[-1][0] == 2 and open_ones[-1][1] % 2 == 0
                for problem in _odd(event, is_key, len(open_ones)):
                    yield line, problem
                if open_ones:
                    open_ones[-1][1] += 1
                if isinstance(event, yaml.CollectionStartEvent):
                    open_ones.append([2 if isinstance(event, yaml.MappingStartEvent) else 1, 0])
    except yaml.YAMLError:
        return  # the reader itself says it best


def _odd(event: yaml.NodeEvent, is_key: bool, depth: int) -> Iterator[str]:
    if event.anchor is not None:
        yield f"anchors and aliases (&{event.anchor[:40]}, *{event.anchor[:40]}) are not used; write it out"
    tag = getattr(event, "tag", None)
    if tag is not None:
        yield f"a tag ({printable(tag, 40)}) is not used here; remove it"
    if is_key and not isinstance(event, yaml.ScalarEvent):
        yield "a text that begins with `{` or `[` needs quotes around it"
    if depth >= MAX_DEPTH:
        yield f"nested more than {MAX_DEPTH} deep; no bank of questions is"


def _misread(node: yaml.Node) -> Iterator[tuple[int, str]]:
    """Bare words and numbers that YAML takes for something a reader does not."""
    if isinstance(node, yaml.ScalarNode):
        form = PLAIN_FORMS.get(node.tag.rpartition(":")[2])
        if form and not form.fullmatch(node.value):
            kinds = {"bool": "a truth value", "timestamp": "a date"}
            kind = kinds.get(node.tag.rpartition(":")[2], "a number written in an unusual way")
            yield node.start_mark.line + 1, f"YAML reads `{node.value[:40]}` as {kind}; put it in quotes"
    elif isinstance(node, yaml.CollectionNode):
        parts = (
            node.value
            if isinstance(node, yaml.SequenceNode)
            else [part for pair in node.value for part in pair]
        )
        for part in parts:
            yield from _misread(part)
