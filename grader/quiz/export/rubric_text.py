"""A rubric as what a person needs who marks by it."""

from __future__ import annotations

from .items import Essay

__all__ = ["rubric_markdown"]


def rubric_markdown(essay: Essay) -> str:
    """The model answer, what a right one says and what it must not say, as Markdown."""
    rubric = essay.rubric
    says = [concept.says for concept in rubric.concepts]
    lines = [
        "**A right answer:**",
        "",
        essay.model,
        "",
        "**It says:**",
        "",
        *(f"- {text}" for text in says),
        "",
    ]
    if rubric.order:
        names = {concept.id: concept.says for concept in rubric.concepts}
        lines += ["In this order: " + "; then ".join(names[name] for name in rubric.order) + ".", ""]
    if rubric.partial and len(says) > 1:
        lines += ["Who says a part of it earns a part of the points.", ""]
    if rubric.wrong:
        lines += [
            "**No right answer contradicts this:**",
            "",
            *(f"- {wrong.says}" for wrong in rubric.wrong),
            "",
        ]
    return "\n".join(lines).strip()
