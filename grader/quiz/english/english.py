"""Little words of English that decide how a short answer is read; nothing here belongs to any subject."""

from __future__ import annotations

__all__ = [
    "BREAKS",
    "COMMON",
    "CONTRAST",
    "DOUBTS",
    "FILLERS",
    "KEPT",
    "LIMITS",
    "NEGATORS",
    "OBJECT_OF",
    "PLAIN",
    "PREFIXES",
    "REVERSED",
    "SEQUENCE",
    "SHORT_FORMS",
    "SUBJECTS",
    "TURNING",
    "word_set",
]


def word_set(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


# May stand between two words of a phrase without changing it.
FILLERS = word_set(
    """a an all of its their this that these those each every both our your my it them they we you i which
    there is are was were be been being am get gets got gotten getting will would can could should does
    do did has have had having just simply also again back together finally basically essentially
    actually really very own separate individual respective resulting so up s let lets us now thus hence
    therefore first then next last lastly afterwards after only here already the"""
)

# They turn what follows in the same clause into its opposite.
NEGATORS = word_set("not no never without neither nor none nothing cannot instead_of rather_than")
# Of these the reach ends at an "and": "without averaging and multiplies".
CONTRAST = word_set("without instead_of rather_than")
# After the claim: "concatenation is unnecessary", "the projection is skipped".
REVERSED = word_set(
    """unnecessary optional skipped omitted useless missing absent dropped removed superfluous redundant
    avoided forbidden unneeded pointless ignored unused discarded neglected disabled gone impossible wrong"""
)
# A clause ends here, and with it the reach of a "not".
BREAKS = word_set(
    """, . ? : but however whereas while because since although though yet then instead rather"""
)

# The writer turns from one claim to another, perhaps from another's to the own.
TURNING = word_set("but however although though yet instead rather actually contrary instead_of rather_than")

# A new subject begins a new clause, but not behind these: "does not make it faster".
SUBJECTS = word_set("it they we he she this")
OBJECT_OF = word_set(
    """that say says said true case make makes making do does let lets get gets have has of for with to give gives
    keep keeps"""
)

# A denial of one of these often affirms: "is not limited to a single pattern".
LIMITS = word_set("single one only just limited restricted confined alone same")

# Words of order: what stands after them happens later.
SEQUENCE = word_set("then next followed before finally afterwards later subsequently lastly , . : and_then")

# The writer is not sure, or addresses the person who marks.
DOUBTS = (
    "maybe|perhaps|possibly|unsure|dunno|idk|whatever|supposedly|allegedly|hypothetically",
    "might be",
    "no idea|clue",
    "not sure|certain|necessarily",
    "i not know|remember|recall",
    "forgot|forget",
    "something like that",
    "or something",
    "either",
    "false|untrue|myth|incorrect|wrong|joke|kidding|sarcasm|sarcastic",
    "not true|right|correct",
    "not the case",
    "not .. answer|case|true|happen|happens",
    "ignore .. instruction|rubric|above|previous",
    "mark|grade|give|award .. correct|full|marks|credit",
    "contrary|opposite",
    "vice versa",
    "wait|correction",
    "scratch that",
    "on second thought",
    "or the other way",
    "other way round|around",
)

# Words of one stem with another's meaning: they stay as they are.
KEPT = word_set(
    """parallelize parallelise parallelized parallelised parallelizes parallelism parallelization parallelisation
    parallelizable parallelisable parallelizing parallelising possibly positive positively additional additionally
    encoder encoders decoder decoders transformer transformers generally general optional relative relatives
    means meaning addition university universe tokenize tokenizes tokenized tokenization tokenisation tokenizer
    tokenizers tokeniser differently"""
)

# How people shorten and write things, as what they stand for.
SHORT_FORMS = (
    (r"\bw\s?/\s?o\b(?=\s+(?:the|a|an|any|\w+ing)\b)", "without"),
    (r"\bw/(?=\s)", "with"),
    (r"\bcan'?t\b", "can not"),
    (r"\bthru\b", "through"),
    (r"\b(could|would|should|is|are|was|were|do(?:es)?|did|has|have|had|must|need|wo|ai|sha)n'?t\b", r"\1 not"),
    (r"\b(?:nobody|no\s?one|hardly|barely|scarcely|seldom|rarely)\b|\b(?:i|we)\s+(?:doubt|deny)\b", "not"),
    (r"\bcannot\b", "can not"),
    (r"\binstead\s+of\b", "instead_of"),
    (r"\brather\s+than\b", "rather_than"),
    (r"\bas\s+opposed\s+to\b|\bunlike\b|\b(?:other|different)\s+(?:than|from)\b", "instead_of"),
    (r"\b(?:any|every)\s?thing\s+(?:but|except)\b|\ball\s+but\b|\bexcept\s+(?:for\s+)?|\bapart\s+from\b", "not "),
    (r"\b(?:no|without any|without)\s+need\s+(?:to|for|of)\b", "not"),
    (r"\b(?:there(?:'s| is) )?no\s+(?=\w+ing\b)", "not "),
    (r"\bnot\s+(?:only|just|merely|simply|solely)\b", "also"),
    (r"\bno\s+(?:extra|additional|added|more|real|further)\b", "no"),
    (r"\b(?:fails?|failing|forgets?|refuses?|neglects?|skips?|skipping)\s+(?:to\b|(?=\w+ing\b)|(?=the\b))", "not "),
    (r"\b(?:e\.g|i\.e|etc|vs|resp|approx|aka)\.", " "),
    (r"\bto\s+sum\s+(?:it\s+)?up\b|\bin\s+(?:sum|summary)\b", " "),
    (r"\bas\s+well\s+as\b", "and"),
    (r"\bas\s+well\b", "also"),
    (r"\b(?:i|we)\s+(?:think|believe|guess|suppose|would say|'d say|feel|assume)\b(?:\s+that\b)?", " "),
    (r"\b(?:and|&)\s+then\b|\bafter\s+(?:that|which|this|wards?)\b|\bthen\b|\bafterwards?\b", "and_then"),
    (r"\bprior\s+to\b", "before"),
    (r"\bat\s+(?:the\s+)?same\s+time\b|\bsimultaneous(?:ly)?\b|\bat\s+once\b|\bconcurrently\b", "simultaneously"),
)  # fmt: skip

# Prefixes that hyphens or spaces part from their word in some hands.
PREFIXES = ("sub", "non", "multi")

# Words that say nothing about any subject: an answer may hold any number of them.
COMMON = word_set(
    """able about above according across actual ago ahead along always among and another any anything apply
    applied applies around as ask at away basic because become becomes been before begin behind below
    between beyond bit bring brings but by call called came case certain clear come comes common
    complete completely could course day definitely describe different do doing done down due during
    easily easy effect effectively either else end ends enough entire etc even ever everything example
    exactly explain fact far few final finally find first follow following follows for form found from
    full fully function further gave general get give gives go goes going good great guess ha hand
    happen happens has have help helps her hey hi him his how i idea if important in include indeed
    inside into is it job just keep kept kind know known last later lecture lesson let like little long
    look lot lots made main mainly make makes making many may me mean means mechanism might more most
    mostly much must my name named namely need needed needs new next nice number obviously of off ok
    okay old on once one ones only onto or order other others otherwise out over own part per person
    place please point possible precisely pretty previous probably purpose put quite rather reason
    result results right said same say says second see seem set several shall she should show similar
    since single so some something sort still step steps such sure take taken takes taking tell than
    thank thanks that the thing things think third this those three through throughout thus time times
    to together too total two type under understand until up upon us use used useful user uses using
    usual usually various via want way ways well went were what when where whether which who whole whose
    why will with within word work works would yes yet you your and_then simultaneously also according
    actually apart back believe best better both can day directly does each here i'm it's its into
    instead later lets maybe me mine now our page perhaps remember shall since think unlike whatever
    while you're yeah yep thx lol haha hmm um uh er well so very really"""
)

# Of the everyday words those that bring no claim of their own, whatever they stand beside.
PLAIN = (FILLERS - word_set("only already own separate individual resulting could should")) | word_set(
    """above according across and and_then answer as at because before both bring brings by call called come
    comes course definitely describe directly done due each end ends exactly explain finally find follow
    following follows for form from further get gives give go goes going happen happens happening hello help
    helps here hey hi how i i'm if in inside into kind know known last lecture lesson let like made make makes
    making me means much my name named namely need needs new next now number obviously ok okay on once one
    ones onto our out over page per please point purpose question reason remember result results right said
    say says second see self set show simultaneously since so some sort step steps such sure take taken takes
    taking tell thank thanks that thing things think third those three through thus thx time times to together
    too two type up upon us use used uses using via want way ways well what when where whether who whole
    whose why will with within work works yeah yep yes yet you your"""
)
