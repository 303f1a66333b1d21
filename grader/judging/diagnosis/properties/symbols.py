"""Finds which of a probe's sizes a number is: the form that holds in every case, or none."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import combinations, permutations

Sizes = Mapping[str, int]
CLOSE = 1e-4  # relative; a found factor is known to about the tolerance of the values
LARGEST = 12  # of the plain numbers whose fractions and roots have a name


def length_of(values: Sequence[int], sizes: Sequence[Sizes]) -> str:
    """The length that is these values in these cases: `Tk`, `h·d_k`, `d_model/h`; "" when none or several are."""
    if not values:
        return ""
    for forms in (_single(sizes), _products(sizes), _quotients(sizes)):
        found = [name for name, given in forms if all(map(_same, given, values))]
        if found:
            return found[0] if len(found) == 1 else ""
    return ""


def factor_of(values: Sequence[float], sizes: Sequence[Sizes]) -> str:
    """A factor in a likely form: `√d_k`, `1/h`, `2`, `√3`; "" when no form holds in every case, or several do."""
    if not values:
        return ""
    if _constant(values):
        return plain(values[0])
    signs = {value < 0 for value in values}
    if len(signs) > 1:
        return ""
    sizes_of = [abs(value) for value in values]
    plain_forms, quotients = [*_POWERS, *_INVERSES], _POWERS  # a quotient's inverse is another quotient
    for forms, powers in (
        (_single(sizes), plain_forms),
        (_quotients(sizes, whole=False), quotients),
        (_products(sizes), plain_forms),
    ):
        found: list[str] = []
        for shape, bent in powers:
            found += [shape(name) for name, given in forms if all(map(_same, map(bent, given), sizes_of))]
        if found:
            sign = "-" if True in signs else ""
            return f"{sign}{found[0]}" if len(found) == 1 else ""
    return _multiple(values, sizes)


def _multiple(values: Sequence[float], sizes: Sequence[Sizes]) -> str:
    """`√d_k/8`, `2·h`: one number times a power of one axis."""
    found = []
    for name, given in _single(sizes):
        for shape, bent in (*_POWERS, *_INVERSES):
            shares = [value / bent(length) for value, length in zip(values, given, strict=True)]
            share = plain(shares[0])
            if _constant(shares) and share and len(set(given)) > 1:
                found.append(_joined(share, shape(name)))
    return found[0] if len(found) == 1 else ""


def _joined(share: str, form: str) -> str:
    """`√d_k/8`, `8/√d_k`, `2·h`."""
    if share.startswith("1/"):
        return f"{form}/{share[2:]}"
    return f"{share}{form[1:]}" if form.startswith("1/") else f"{share}·{form}"


def plain(value: float) -> str:
    """`2`, `1/3`, `√3`, `1/√2` for a number that is one of these; "" otherwise."""
    sign, size = ("-" if value < 0 else ""), abs(value)
    for below in range(1, LARGEST + 1):
        for above in range(1, LARGEST + 1):
            if math.gcd(above, below) == 1 and _same(size, above / below):
                return f"{sign}{above}" if below == 1 else f"{sign}{above}/{below}"
    for number in range(2, LARGEST + 1):
        if _same(size, math.sqrt(number)):
            return f"{sign}√{number}"
        if _same(size, 1 / math.sqrt(number)):
            return f"{sign}1/√{number}"
    return ""


def _constant(values: Sequence[float]) -> bool:
    return all(_same(value, values[0]) for value in values)


def _same(one: float, two: float) -> bool:
    return abs(one - two) <= CLOSE * max(abs(one), abs(two))


Form = tuple[str, list[float]]


def _single(sizes: Sequence[Sizes]) -> list[Form]:
    """The axes that all cases have, each with its lengths."""
    return [(name, [float(case[name]) for case in sizes]) for name in _shared(sizes)]


def _products(sizes: Sequence[Sizes]) -> list[Form]:
    """Products of two to four axes."""
    names = _shared(sizes)
    some = [part for count in (2, 3, 4) for part in combinations(names, count)]
    plain = [part for part in some if not any(_parts(name) & set(part) for name in part)]
    return [
        ("·".join(part), [float(math.prod(case[name] for name in part)) for case in sizes]) for part in plain
    ]


def _quotients(sizes: Sequence[Sizes], *, whole: bool = True) -> list[Form]:
    """One axis by another, where that is a whole number."""
    pairs = [(one, two) for one, two in permutations(_shared(sizes), 2) if two not in _parts(one)]
    return [
        (f"{one}/{two}", [case[one] / case[two] for case in sizes])
        for one, two in pairs
        if not whole or all(case[one] % case[two] == 0 for case in sizes)
    ]


def _shared(sizes: Sequence[Sizes]) -> list[str]:
    """Names that every case has; of two that are always equal neither could be told from the other."""
    return [name for name in sizes[0] if all(name in case for case in sizes)] if sizes else []


def _parts(name: str) -> set[str]:
    """The axes that one merged axis is made of: `h·d_v` of h and d_v."""
    return set(name.split("·")) if "·" in name else set()


def _of(text: str, name: str) -> str:
    return text.format(f"({name})" if "·" in name or "/" in name else name)


Power = tuple[Callable[[str], str], Callable[[float], float]]
_POWERS: Sequence[Power] = (
    (lambda name: _of("√{}", name), math.sqrt),
    (lambda name: name, float),
    (lambda name: _of("{}²", name), lambda value: value**2),
    (lambda name: _of("{}^¼", name), lambda value: value**0.25),
)
_INVERSES: Sequence[Power] = (
    (lambda name: _of("1/√{}", name), lambda value: 1 / math.sqrt(value)),
    (lambda name: _of("1/{}", name), lambda value: 1 / value),
)
