"""Marks a true/false answer in whatever words a person gives it."""

from __future__ import annotations

import re

from grader.quiz.drawing.drawn import DrawnTrueFalse
from grader.quiz.english.english import NEGATORS, word_set
from grader.quiz.english.phrases import Finder, Line, vocabulary
from grader.quiz.english.polarity import polarity
from grader.quiz.english.words import Reader
from grader.quiz.expressions.notation import Notation, plain
from grader.quiz.questions.marked import Verdict, review, right, wrong
from grader.quiz.questions.rubric_model import Signs

__all__ = ["Reasons", "stance", "truth_verdict"]


TRUE = word_set(
    "true t yes y on 1 yep yeah yup correct right ja oui si vrai wahr sure aye tru ture treu rtue truee ✓ ✔ ☑"
)
FALSE = word_set(
    """false f no n off 0 nope nah incorrect wrong untrue nein faux falsch flase fasle fales fals flse falase
    falsee ✗ ✘ ☒ never"""
)
PLAINLY = word_set("true yes false untrue incorrect")  # where these stand, the rest is explanation
SURE = {
    **dict.fromkeys(
        ("of course", "absolutely", "definitely", "certainly", "indeed", "exactly", "obviously"), True
    ),
    **dict.fromkeys(
        ("of course not", "absolutely not", "definitely not", "certainly not", "not at all", "no way"), False
    ),
}
_LEAD = word_set(
    """it its it's is are that that's thats the this answer statement a an i i'd say think believe would pick choose
    go for with my me claim clearly definitely absolutely totally completely certainly obviously entirely 100 of
    course very much so x am quite sure : ="""
)
_TURNS = NEGATORS | word_set("any only nothing equally anyway still same")
_SUPPOSED = word_set("otherwise else would if could")
_LOST = word_set("not no never only just nothing cannot nor still")  # "without it no head hears of another"
# In the words that commit: nothing plain stands beside these.
_HEDGES = re.compile(
    r"\b(?:(?:yes|true|t|y)\s*(?:and|or|/)\s*(?:no|false|f|n)|depends?|depending|generally|often|rarely|almost|nearly|kind\s?of|"
    r"kinda|sort\s?of|sorta|somewhat|probabl[ey]|possibly|likely|guess|technically|essentially|basically|theory|principle|"
    r"practice|cases?|half|both|most|some|or|neither|ish|more\s+or\s+less|extent|arguably|debatable|idk)\b|-ish"
)
# Anywhere in the answer: they take a part of it back.
_RESERVES = re.compile(
    r"\b(?:but|unless|except|however|though|although|mostly|partly|partially|sometimes|usually|maybe|perhaps|unsure|"
    r"not\s+(?:sure|always|entirely|really|necessarily|quite|exactly|completely|certain)|(?:it|that)\s+depends|no\s+idea|"
    r"don'?t\s+know|wait|i\s+mean|sorry|actually\s+(?:no|yes)|in\s+(?:most|some|many|certain)\s+\w+|most\s+of|only\s+if|(?:yes|true)\s+and\s+(?:no|false))\b|\?|\d\s*%"
)
# Right behind the word: a condition, not a reason.
_CONDITIONS = re.compile(
    r"\b(?:true|false|yes|no|t|f)\b[\s,(]*(?:if|when|as\s+long|provided|assuming|for\s+(?!both|all|any|either|every)|in|with|"
    r"only\s+(?:if|when|in|for\s+some))\b"
)
_SEPARATORS = re.compile(
    r"[,.;:!\n(–—]|\s-\s|->|\bbecause\b|\bsince\b|\bas\b|\bcause\b|\bcoz\b|\bbc\b|\bdue to\b|\bso\b"
)


class Reasons:
    """The phrases that explain only one of the two answers, compiled."""

    def __init__(self, signs: Signs | None, notation: Notation) -> None:
        found = signs or Signs()
        self._reader = Reader(vocabulary((*found.holds, *found.fails), found.words), notation)
        self._sides = ((True, Finder(found.holds, found.words)), (False, Finder(found.fails, found.words)))

    def agree(self, explanation: str, said: bool, *, strict: bool) -> bool:
        """Whether nothing in the explanation holds with the other answer only.

        `strict` also asks of a sentence that denies something that it is known to explain what is said.
        """
        for sentence in re.split(r"[.;!]", explanation):
            row = self._reader.read(sentence)
            if _SUPPOSED & set(row.words) or ("without" in row.words and _LOST & set(row.words)):
                continue  # "otherwise it would not divide" explains by what does not hold
            line, backed = Line(row), False
            for side, finder in self._sides:
                kinds = {polarity(line.tokens, hit) for hit in finder.find(line)}
                if ("denied" if side == said else "affirmed") in kinds:
                    return False
                backed |= bool(kinds)
            if strict and not backed and _TURNS & set(row.words):
                return False  # it denies or sets free something that no sign tells the side of
        return True


def truth_verdict(drawn: DrawnTrueFalse, answer: str, reasons: Reasons) -> Verdict:
    """The outcome for an answer; hedges, both words at once and what is neither go to a person."""
    said = _stance(answer, reasons, drawn.answer)
    if said is None:
        return review("it is neither a plain true nor a plain false")
    message = drawn.feedback.get(said, "")
    return right(message) if said == drawn.answer else wrong(message)


def stance(text: str, signs: Signs | None, notation: Notation) -> bool | None:
    """True, False, or None where the text does not commit itself."""
    return _stance(text, Reasons(signs, notation))


def _stance(text: str, reasons: Reasons, key: bool | None = None) -> bool | None:
    flat = " ".join(plain(text).casefold().replace('"', " ").replace("[", " ").replace("]", " ").split())
    flat = re.sub(r"^'+|'+$|(?<=\s)'|'(?=\s)", "", flat).strip()
    if re.fullmatch(r"[01](?:\.0*)?", flat):
        return flat[0] == "1"
    if re.fullmatch(r"[-+]?[\d.,]+", flat):
        return None
    head, tail = _parts(flat)
    if _RESERVES.search(flat) or _HEDGES.search(head) or _CONDITIONS.search(flat):
        return None
    said = _plainly(head)
    if said is None:
        return None
    if re.search(rf"\b(?:{'|'.join(_others(said))})\b", tail):
        return None
    return said if reasons.agree(tail, said, strict=said == key) else None


def _parts(flat: str) -> tuple[str, str]:
    """The words that commit, and the explanation behind them."""
    flat = flat.lstrip(" ([").rstrip(" )].!")
    pieces = _SEPARATORS.split(flat, maxsplit=1)
    head, tail = pieces[0].strip(" ()[]"), pieces[1] if len(pieces) > 1 else ""
    if head in ("answer", "my answer", "the answer", "kc") and tail:
        return _parts(tail)
    words = head.split()
    for place, word in enumerate(words):
        if word in TRUE | FALSE and word not in _LEAD and place + 1 < len(words) and word in PLAINLY | {"no"}:
            rest = words[place + 1 :]
            if not all(item in _LEAD | TRUE | FALSE | {"statement", "not"} for item in rest):
                return " ".join(words[: place + 1]), f"{' '.join(rest)} , {tail}"
    return head, tail


def _plainly(head: str) -> bool | None:
    if head in SURE:
        return SURE[head]
    words = [word.strip(".'!") for word in head.split()]
    found, denied = set(), False
    for word in words:
        if word in ("not", "isn't", "isnt"):
            denied = True
        elif word in TRUE or word in FALSE:
            found.add(word in TRUE)
        elif word not in _LEAD:
            return None
    if len(found) != 1:
        return None
    said = found.pop()
    if denied:
        return False if said else None  # "not false" may mean many things
    return said


def _others(said: bool) -> tuple[str, ...]:
    return ("false", "untrue", "incorrect", "nope") if said else ("true", "yes", "correct", "yep")
