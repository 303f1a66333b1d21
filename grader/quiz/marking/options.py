"""Which option an answer means: by its letter or its text, in whatever dress."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from grader.quiz.drawing.drawn import DrawnOption
from grader.quiz.english.english import word_set
from grader.quiz.expressions.notation import Notation, plain
from grader.quiz.expressions.terms import Term, term, tidy

__all__ = ["Chooser"]

_LEAD = re.compile(
    r"^(?:(?:i\s+(?:think|believe|guess|would\s+say|say|choose|pick|chose|go\s+with)|i'd\s+(?:say|pick|go\s+with)|"
    r"(?:it|that|this)\s+(?:is|'s|must\s+be|should\s+be|would\s+be|has\s+to\s+be)|it's|its|that's|"
    r"the\s+answer|my\s+answer|answer|ans|is|"
    r"option|choice|letter|opt|the\s+correct\s+(?:one|answer|option)|correct|definitely|clearly|probably|surely|the|an|"
    r"equals?|equal\s+to|=|:|so|just\s+(?=\w{2,})|of|with)\b[\s:=]*)+",
    re.IGNORECASE,
)
_TRAIL = re.compile(r"[\s,]+(?:i\s+(?:think|believe|guess|suppose|'d say|would say))$")
_LETTER = re.compile(r"^[(\[]*([a-z])[)\].:]*$")
_LETTERED = re.compile(r"^[(\[]?([a-z])(?:[)\].:]+|\s*[-–=:,]|\s(?=[(]))\s*(\S.*)$", re.DOTALL)
_LETTER_BECAUSE = re.compile(r"^[(\[]?([a-z])[)\].:,]*\s+(?:because|since|as|for)\b(.*)$", re.DOTALL)
_SPACED = re.compile(r"^([a-z])\s+(\w.*)$", re.DOTALL)
_REASON = re.compile(
    r"\s*(?:[,;]?\s*\b(?:because|since|as|which|that|due to|for|i\.?e)\b|\.\s+|;|\s-\s|,\s+(?=\w+\s+\w+)|\()",
    re.IGNORECASE,
)
_BECAUSE = re.compile(r"(?:because|since|as|due to|cause|bc|for each|so that|it|each|every|there)\b")
_BETWEEN = re.compile(r"\s*(?:[,;&\n]|\band\b|\bor\b|\bor else\b|\bund\b|\bplus\b|(?<=\w)\s*/\s*(?=\w))\s*")
_EQUALS = re.compile(r"\s*(?:=|\bis\b|\bequals\b|\bgives\b|\bmakes\b)\s*")
_RETRACTS = re.compile(
    r"\b(?:i mean|sorry|wait|actually|correction|maybe|perhaps|depends|unsure|not sure|or)\b|\?"
)
_NOT = re.compile(
    rf"{_RETRACTS.pattern}|\b(?:not|no|never|except|neither|nor|isn'?t|without|instead|either|both)\b"
)
_NOT_THAT = re.compile(r"(.+?)[\s,(]+(?:and\s+)?not\s+([^)]+)\)?")
_AROUND = word_set(
    """the a an is are it its it's projection matrix layer dimension dimensions dim dims dimensional wide width units
    unit features feature columns column function linear learned output final option answer value size entries
    elements weight weights only of by per head heads"""
)


@dataclass(frozen=True, slots=True)
class _Face:
    """One way to write an option."""

    place: int
    text: str
    stripped: str
    term: Term | None


class Chooser:
    """The options of one question, and which of them an answer means."""

    def __init__(self, options: Sequence[DrawnOption], notation: Notation) -> None:
        self._options, self._notation = options, notation
        self._letters = {option.letter.casefold(): place for place, option in enumerate(options)}
        self._faces = [
            _Face(place, _bare(tidy(text, notation)), _stripped(plain(text)), term(text, notation))
            for place, option in enumerate(options)
            for text in (option.text, *option.also)
        ]
        terms = {face.place for face in self._faces if face.term is not None}
        self._symbols = frozenset(
            word
            for face in self._faces
            for word in re.findall(r"[a-z_]\w*", face.text)
            if face.term is not None
        )
        self._all_terms = len(terms) == len(options)

    def read(self, answer: str) -> frozenset[int] | None:
        """The places of the options meant; an empty set for a clear answer that is none; None if unclear."""
        exact = self.exact(answer)
        if exact is not None:
            return frozenset({exact})
        text = _stripped(plain(answer))
        if not text:
            return None
        lettered = _LETTERED.match(text)
        if lettered and lettered.group(1) not in self._letters:
            lettered = None
        one = self._one(text, equation=not lettered)
        if one is not None:
            return frozenset({one})
        if lettered and not self._only_letters(text):
            return self._lettered(lettered.group(1), lettered.group(2))
        spaced = _SPACED.match(text)
        if spaced and spaced.group(1) in self._letters and (named := self._face(spaced.group(2))) is not None:
            return frozenset({named}) if named == self._letters[spaced.group(1)] else None
        because = _LETTER_BECAUSE.match(text)
        if because and because.group(1) in self._letters:
            return self._lettered(because.group(1), because.group(2))
        return self._without_letter(text)

    def _without_letter(self, text: str) -> frozenset[int] | None:
        """What a text means that no letter opens: several options, one in other words, or none."""
        pieces = [piece for piece in _BETWEEN.split(text) if piece]
        if len(pieces) > 1 and not _EQUALS.search(text):
            places = [self._one(_stripped(piece)) for piece in pieces]
            if None not in places:
                return frozenset(place for place in places if place is not None)
        found = self._in_words(text)
        if found is not None:
            return found
        if _LETTER.match(text):
            return frozenset()  # a letter that no option has
        if self._all_terms and term(text, self._notation) is not None:
            names = set(re.findall(r"[a-z_]\w*", tidy(text, self._notation)))
            return frozenset() if names <= self._symbols else None
        return None

    def exact(self, answer: str) -> int | None:
        """The option whose wording this is, letter for letter but for case, dress and spaces."""
        bare = _bare(tidy(answer, self._notation))
        stripped = _stripped(plain(answer))
        for face in self._faces:
            if bare == face.text or (len(stripped) > 1 and stripped == face.stripped):
                return face.place
        return None

    def read_several(self, answer: str) -> frozenset[int] | None:
        """The places of all options meant, of a choice of several; None if unclear."""
        text = _stripped(plain(answer))
        if re.fullmatch(r"all(?: of (?:them|the above|these))?|everything", text):
            return frozenset(range(len(self._options)))
        if re.fullmatch(r"none(?: of (?:them|the above|these))?", text):
            return frozenset()
        if len(text) > 1 and len(set(text)) == len(text) and set(text) <= set(self._letters):
            return frozenset(self._letters[letter] for letter in text)
        return self.read(answer)

    def _one(self, text: str, *, equation: bool = True) -> int | None:
        """The option that this whole text is: a letter, a wording, or what an `equation` ends in."""
        letter = _LETTER.match(text)
        face = self._face(text, equation=equation)
        if letter and letter.group(1) in self._letters:
            return self._letters[letter.group(1)] if face is None else face
        return face

    def _face(self, text: str, *, equation: bool = True) -> int | None:
        bare = _bare(tidy(text, self._notation))
        for face in self._faces:
            if bare == face.text:
                return face.place
        meant = term(text, self._notation) or term(re.sub(r"\bthe\s+", "", text), self._notation)
        if meant is not None:
            for face in self._faces:
                if face.term == meant:
                    return face.place
        sides = [side for side in _EQUALS.split(text) if side] if equation else []
        found = {self._face(side, equation=False) for side in sides if len(sides) > 1}
        numbers = {term(side, self._notation) for side in sides if not re.search(r"[a-z]", side)}
        found -= {None}
        return found.pop() if len(found) == 1 and len(numbers) < 2 else None

    def _lettered(self, letter: str, rest: str) -> frozenset[int] | None:
        """A letter with words behind it: they must not name another option."""
        place = self._letters.get(letter)
        if place is None or _RETRACTS.search(rest):
            return None
        rest = rest.strip(" ,;")
        if _BECAUSE.match(rest):
            return frozenset({place})
        if _NOT.search(rest):
            return None
        rest = _stripped(rest)
        named = self._one(rest) if not _LETTER.match(rest) or self._face(rest) is not None else None
        if named is None and _LETTER.match(rest):
            named = self._letters.get(rest.strip("()[].:"), -1)
            return frozenset({place, named}) if named >= 0 else None
        if named is not None:
            return frozenset({place}) if named == place else None
        words = _REASON.split(rest, maxsplit=1)[0]
        named = self._face(_stripped(words)) if words else None
        if named is not None:
            return frozenset({place}) if named == place else None
        return frozenset({place}) if self._mentioned(rest) <= {place} else None

    def _only_letters(self, text: str) -> bool:
        letter = rf"[(\[]?[{''.join(self._letters)}][)\].]?"
        return re.fullmatch(rf"{letter}(?:[\s,;/&]+{letter})+", text) is not None

    def _mentioned(self, text: str) -> set[int]:
        """The options whose wording stands somewhere in the text, none inside another's."""
        flat, found = f" {_bare(tidy(text, self._notation))} ", set()
        for face in sorted(self._faces, key=lambda item: -len(item.text)):
            pattern = re.compile(rf"(?<![\w*]){re.escape(face.text)}(?![\w*])")
            if pattern.search(flat):
                found.add(face.place)
                flat = pattern.sub(" ; ", flat)
        return found

    def _in_words(self, text: str) -> frozenset[int] | None:
        """An option named within a few words that add nothing: "the W_O projection"."""
        head = _REASON.split(text, maxsplit=1)[0].strip()
        tail = text[len(head) :]
        if against := _NOT_THAT.fullmatch(text):
            named, other = (self._one(_stripped(side)) for side in against.groups())
            return frozenset({named}) if named is not None and other not in (None, named) else None
        if _NOT.search(text):
            return None
        place = self._one(_stripped(head)) if head and head != text else None
        if place is None:
            place = self._framed(head or text)
        if place is None:
            return None
        if _BECAUSE.match(tail.lstrip(" ,;.(-")):
            return frozenset({place})
        value = self._face(tail.strip(" ().")) if tail else None
        if value is not None:
            return frozenset({place}) if value == place else None
        return frozenset({place}) if self._mentioned(tail) <= {place} else None

    def _framed(self, text: str) -> int | None:
        flat = _bare(tidy(text, self._notation))
        found = set()
        for face in sorted(self._faces, key=lambda item: -len(item.text)):
            pattern = re.compile(rf"(?<![\w*/+-]){re.escape(face.text)}(?![\w*/+-])")
            if pattern.search(flat):
                rest = pattern.sub(" ", flat)
                if all(word in _AROUND for word in re.findall(r"[^\s.,()]+", rest)):
                    found.add(face.place)
        return found.pop() if len(found) == 1 else None


def _stripped(text: str) -> str:
    """The text in lower case without quotes, lead-ins and a full stop at the end."""
    flat = " ".join(text.casefold().split()).strip(" \"'.!,;:")
    if flat[:1] == "[" and flat[-1:] == "]":
        flat = flat[1:-1].strip(" \"'")
    bare = _LEAD.sub("", _TRAIL.sub("", flat)).strip(" \"'.!,;:")
    return bare or flat


def _bare(text: str) -> str:
    return (
        text.strip(" .!,;:\"'").removeprefix("(").removesuffix(")")
        if text.count("(") == text.count(")") == 1 and text.startswith("(") and text.endswith(")")
        else text.strip(" .!,;:\"'")
    )
