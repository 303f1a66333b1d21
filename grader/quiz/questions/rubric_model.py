"""What a short answer must say, may say and must not say: the fields of a question's `rubric`.

A *phrase* is a line of words as a person would write them. It is compared with the answer by word
stems, so `concatenates the heads` also finds "concatenated heads" and "concatenting heads".

    head            one word, any form of it
    join|merge      either word
    {join}          any of the words or phrases that `words` lists under that name
    posi*           any word that begins so
    ..              up to six other words of the same sentence

Little words (the, all, its, are) may always stand between two words of a phrase.

Symbols are written as `w_o`, `d_k`, `d_model`: the answer's own notation is brought to that form.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from grader.core.records import Frozen

Text = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
Name = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_-]*$")]
Phrase = Annotated[str, StringConstraints(min_length=1, strip_whitespace=True)]
Phrases = tuple[Phrase, ...]


class Concept(Frozen):
    """One thing a right answer says. `says` is how a message to the learner names it.

    `said` are the phrases that say it; `near` those that may mean it, for a person to decide.
    """

    id: Name
    says: Text
    said: Annotated[Phrases, Field(min_length=1)]
    near: Phrases = ()


class Wrong(Frozen):
    """A claim that no right answer makes; `says` tells the learner why not.

    An answer that makes it is never correct: incorrect where it stands in the place of what is missing or
    reverses what is right (`reverses`), for a person to see where all that was asked is said beside it.
    """

    says: Text
    said: Annotated[Phrases, Field(min_length=1)]
    reverses: bool = False


class Rubric(Frozen):
    """How a short answer is marked.

    - `concepts`: all of them make the answer correct, some of them partial (if `partial`).
    - `order`: concepts that must come one after the other ("first ... then").
    - `wrong`: claims that contradict. `doubt`: phrases that send the answer to a person.
    - `ignore`: phrases that may stand in any answer and say nothing.
    - `otherwise: incorrect`: so is an answer that makes no claim of the rubric, right, near or wrong, and has at
      most `unknown` words that stand in no phrase and are no everyday English.
    - `clues`: words that an unforeseen right answer would hold; with one of them, `otherwise` does not apply.
    - `known`: further words that may stand in an answer without making a person look.
    - `beside`: words that bring no claim of their own. Where they are listed, an answer is only correct or partial
      if every word in it is one of them, plain English, or a word of what it rightly says.
    """

    words: Mapping[Name, Annotated[Phrases, Field(min_length=1)]] = Field(default_factory=dict)
    concepts: Annotated[tuple[Concept, ...], Field(min_length=1)]
    order: tuple[Name, ...] = ()
    wrong: tuple[Wrong, ...] = ()
    doubt: Phrases = ()
    ignore: Phrases = ()
    clues: Phrases = ()
    known: Phrases = ()
    beside: Phrases = ()
    partial: Annotated[bool, Field(strict=True)] = True
    otherwise: Literal["incorrect", "needs_review"] = "needs_review"
    unknown: Annotated[int, Field(strict=True, ge=0)] = 1

    @model_validator(mode="after")
    def _names_are_there(self) -> Rubric:
        ids = [concept.id for concept in self.concepts]
        for name in self.order:
            if name not in ids:
                raise ValueError(f"`order` names {name!r}, which is no concept; there is {', '.join(ids)}")
        if len(set(ids)) != len(ids):
            raise ValueError("two concepts have one id; give each its own")
        for phrase in self.phrases():
            for name in re.findall(r"\{([^{}]*)\}", phrase):
                if name not in self.words:
                    raise ValueError(f"{phrase!r}: `words` has no list {name!r}; add it or correct the name")
        return self

    def phrases(self) -> Phrases:
        """Every phrase of the rubric that is matched against an answer."""
        said = [item for concept in self.concepts for item in concept.said]
        said += [item for claim in self.wrong for item in claim.said]
        near = [item for concept in self.concepts for item in concept.near]
        return (*said, *near, *self.doubt, *self.ignore, *self.clues, *self.known, *self.beside)

    def spelled_out(self, phrases: Iterable[str]) -> Iterator[str]:
        """These phrases, and those of the lists that they name."""
        for phrase in phrases:
            yield phrase
            for name in re.findall(r"\{([^{}]*)\}", phrase):
                yield from self.spelled_out(self.words[name])


class Signs(Frozen):
    """For a true/false question: phrases that explain only why the statement `holds`, or why it `fails`."""

    words: Mapping[Name, Annotated[Phrases, Field(min_length=1)]] = Field(default_factory=dict)
    holds: Phrases = ()
    fails: Phrases = ()
