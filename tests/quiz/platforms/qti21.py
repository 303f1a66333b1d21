"""A QTI 2.1 package, read with lxml; items are marked by evaluating their response processing, expression by expression.

IMS Question & Test Interoperability Assessment Test, Section and Item Information Model 2.1, sections 8 and 9.
"""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass, field
from typing import Any

from lxml import etree

from .tries import Try

NS = {"q": "http://www.imsglobal.org/xsd/imsqti_v2p1"}
PACKAGE = {"p": "http://www.imsglobal.org/xsd/imscp_v1p1"}

# The order of elements after the specification's XML binding, for those that are written.
HEAD = """<!ATTLIST {root} xmlns CDATA #FIXED "http://www.imsglobal.org/xsd/imsqti_v2p1"
  xmlns:xsi CDATA #IMPLIED xsi:schemaLocation CDATA #IMPLIED>"""
ITEM_DTD = (
    HEAD.format(root="assessmentItem")
    + """
<!ELEMENT assessmentItem (responseDeclaration*, outcomeDeclaration*, itemBody?, responseProcessing?, modalFeedback*)>
<!ATTLIST assessmentItem identifier NMTOKEN #REQUIRED title CDATA #REQUIRED adaptive (true | false) #REQUIRED
  timeDependent (true | false) #REQUIRED>
<!ELEMENT responseDeclaration (correctResponse?, mapping?)>
<!ATTLIST responseDeclaration identifier NMTOKEN #REQUIRED cardinality (single | multiple | ordered) #REQUIRED
  baseType (identifier | string | float | directedPair) #REQUIRED>
<!ELEMENT correctResponse (value+)> <!ELEMENT value (#PCDATA)> <!ELEMENT mapping (mapEntry+)>
<!ATTLIST mapping lowerBound CDATA #IMPLIED upperBound CDATA #IMPLIED defaultValue CDATA "0">
<!ELEMENT mapEntry EMPTY> <!ATTLIST mapEntry mapKey CDATA #REQUIRED mappedValue CDATA #REQUIRED>
<!ELEMENT outcomeDeclaration (defaultValue?)> <!ELEMENT defaultValue (value+)>
<!ATTLIST outcomeDeclaration identifier NMTOKEN #REQUIRED cardinality (single | multiple) #REQUIRED
  baseType (identifier | float) #REQUIRED interpretation CDATA #IMPLIED normalMaximum CDATA #IMPLIED
  normalMinimum CDATA #IMPLIED>
<!ELEMENT itemBody ANY> <!ELEMENT rubricBlock ANY> <!ATTLIST rubricBlock view NMTOKENS #REQUIRED>
<!ELEMENT modalFeedback ANY> <!ATTLIST modalFeedback outcomeIdentifier NMTOKEN #REQUIRED identifier NMTOKEN #REQUIRED
  showHide (show | hide) #REQUIRED>
<!ELEMENT choiceInteraction (simpleChoice+)> <!ELEMENT orderInteraction (simpleChoice+)>
<!ATTLIST choiceInteraction responseIdentifier NMTOKEN #REQUIRED shuffle (true | false) #REQUIRED maxChoices
  CDATA #REQUIRED>
<!ATTLIST orderInteraction responseIdentifier NMTOKEN #REQUIRED shuffle (true | false) #REQUIRED>
<!ELEMENT simpleChoice ANY> <!ATTLIST simpleChoice identifier NMTOKEN #REQUIRED>
<!ELEMENT matchInteraction (simpleMatchSet, simpleMatchSet)> <!ELEMENT simpleMatchSet (simpleAssociableChoice*)>
<!ATTLIST matchInteraction responseIdentifier NMTOKEN #REQUIRED shuffle (true | false) #REQUIRED
  maxAssociations CDATA #REQUIRED>
<!ELEMENT simpleAssociableChoice ANY>
<!ATTLIST simpleAssociableChoice identifier NMTOKEN #REQUIRED matchMax CDATA #REQUIRED>
<!ELEMENT textEntryInteraction EMPTY> <!ELEMENT extendedTextInteraction EMPTY>
<!ATTLIST textEntryInteraction responseIdentifier NMTOKEN #REQUIRED expectedLength CDATA #IMPLIED>
<!ATTLIST extendedTextInteraction responseIdentifier NMTOKEN #REQUIRED expectedLines CDATA #IMPLIED>
<!ELEMENT responseProcessing (responseCondition | setOutcomeValue)*> <!ELEMENT responseCondition (responseIf)>
<!ENTITY % expression "variable | baseValue | correct | match | stringMatch | equal | member | index | and | or
  | not | isNull |
  gte | lte | sum | multiple | mapResponse">
<!ELEMENT responseIf ((%expression;), setOutcomeValue+)> <!ELEMENT setOutcomeValue (%expression;)>
<!ATTLIST setOutcomeValue identifier NMTOKEN #REQUIRED>
<!ELEMENT variable EMPTY> <!ATTLIST variable identifier NMTOKEN #REQUIRED>
<!ELEMENT correct EMPTY> <!ATTLIST correct identifier NMTOKEN #REQUIRED>
<!ELEMENT mapResponse EMPTY> <!ATTLIST mapResponse identifier NMTOKEN #REQUIRED>
<!ELEMENT baseValue (#PCDATA)> <!ATTLIST baseValue baseType (identifier | string | float) #REQUIRED>
<!ELEMENT match ((%expression;), (%expression;))> <!ELEMENT member ((%expression;), (%expression;))>
<!ELEMENT gte ((%expression;), (%expression;))> <!ELEMENT lte ((%expression;), (%expression;))>
<!ELEMENT stringMatch ((%expression;), (%expression;))> <!ATTLIST stringMatch caseSensitive (true | false) #REQUIRED>
<!ELEMENT equal ((%expression;), (%expression;))> <!ATTLIST equal toleranceMode (exact | absolute | relative) #REQUIRED>
<!ELEMENT index (%expression;)> <!ATTLIST index n CDATA #REQUIRED> <!ELEMENT not (%expression;)>
<!ELEMENT isNull (%expression;)>
<!ELEMENT and (%expression;)+> <!ELEMENT or (%expression;)+> <!ELEMENT sum (%expression;)+>
<!ELEMENT multiple (%expression;)+>
"""
)
TEST_DTD = (
    HEAD.format(root="assessmentTest")
    + """
<!ELEMENT assessmentTest (outcomeDeclaration*, testPart+, outcomeProcessing?)>
<!ATTLIST assessmentTest identifier NMTOKEN #REQUIRED title CDATA #REQUIRED>
<!ELEMENT outcomeDeclaration EMPTY>
<!ATTLIST outcomeDeclaration identifier NMTOKEN #REQUIRED cardinality (single) #REQUIRED
  baseType (float) #REQUIRED>
<!ELEMENT testPart (assessmentSection+)> <!ATTLIST testPart identifier NMTOKEN #REQUIRED
  navigationMode (linear | nonlinear) #REQUIRED submissionMode (individual | simultaneous) #REQUIRED>
<!ELEMENT assessmentSection (selection?, (assessmentItemRef | assessmentSection)*)>
<!ATTLIST assessmentSection identifier NMTOKEN #REQUIRED title CDATA #REQUIRED visible (true | false) #REQUIRED>
<!ELEMENT selection EMPTY> <!ATTLIST selection select CDATA #REQUIRED>
<!ELEMENT assessmentItemRef EMPTY> <!ATTLIST assessmentItemRef identifier NMTOKEN #REQUIRED href CDATA #REQUIRED
  fixed (true | false) "false">
<!ELEMENT outcomeProcessing (setOutcomeValue+)> <!ELEMENT setOutcomeValue (sum)>
<!ATTLIST setOutcomeValue identifier NMTOKEN #REQUIRED> <!ELEMENT sum (testVariables)> <!ELEMENT testVariables EMPTY>
<!ATTLIST testVariables variableIdentifier NMTOKEN #REQUIRED>
"""
)
# What the information model allows of HTML in a body (section 6.2); anything else needs the interactions above.
HTML = (
    "p", "div", "pre", "h1", "h2", "h3", "h4", "h5", "h6", "ul", "ol", "li", "dl", "dt", "dd", "table", "thead", "tbody",
    "tr", "th", "td", "blockquote", "hr", "br", "span", "em", "strong", "code", "a",
)  # fmt: skip


@dataclass
class Qti21Item:
    root: etree._Element
    values: dict[str, Any] = field(default_factory=dict)

    def shown(self, name: str) -> list[str]:
        """The identifiers of these choices, in the order shown."""
        return [node.get("identifier") for node in self.root.iter(f"{{{NS['q']}}}{name}")]

    def _answer(self, given: Try) -> None:
        choices = self.shown("simpleChoice")
        match given.form:
            case "truth":
                labels = [node.text for node in self.root.iter(f"{{{NS['q']}}}simpleChoice")]
                self.values["RESPONSE"] = choices[labels.index(str(given.value).lower())]
            case "choice":
                chosen = [choices[place] for place in sorted(given.value)]
                declared = self.root.find("q:responseDeclaration", NS).get("cardinality")
                self.values["RESPONSE"] = chosen if declared == "multiple" else chosen[0]
            case "number":
                self.values["RESPONSE"] = float(given.value)
            case "text":
                self.values["RESPONSE"] = given.value
            case "blanks":
                fields = [
                    n.get("responseIdentifier") for n in self.root.iter(f"{{{NS['q']}}}textEntryInteraction")
                ]
                assert len(fields) == len(given.value)
                self.values |= dict(zip(fields, given.value, strict=True))
            case "order":
                self.values["RESPONSE"] = [choices[shown] for shown in given.value]
            case "match":
                sets = self.root.findall(".//q:simpleMatchSet", NS)
                left, right = ([child.get("identifier") for child in part] for part in sets)
                self.values["RESPONSE"] = [f"{left[at]} {right[pick]}" for at, pick in enumerate(given.value)]

    def mark(self, given: Try) -> tuple[float, str]:
        """(score in points, what is said)."""
        self.values = {"SCORE": 0.0, "FEEDBACK": []}
        self._answer(given)
        for rule in self.root.find("q:responseProcessing", NS):
            if name_of(rule) == "setOutcomeValue":
                self._set(rule)
            elif self.value(rule[0][0]):
                for setting in rule[0][1:]:
                    self._set(setting)
        said = {n.get("identifier"): "".join(n.itertext()) for n in self.root.iterfind("q:modalFeedback", NS)}
        return float(self.values["SCORE"]), "".join(said[name] for name in self.values["FEEDBACK"])

    def _set(self, rule: etree._Element) -> None:
        self.values[rule.get("identifier")] = self.value(rule[0])

    def declared(self, name: str) -> etree._Element:
        return self.root.find(f"q:responseDeclaration[@identifier='{name}']", NS)

    def value(self, node: etree._Element) -> Any:  # noqa: C901, PLR0912 - one case an expression
        name = name_of(node)
        match name:
            case "variable":
                return self.values.get(node.get("identifier"))
            case "baseValue":
                return float(node.text) if node.get("baseType") == "float" else node.text
            case "correct":
                declaration = self.declared(node.get("identifier"))
                values = [value.text for value in declaration.iterfind("q:correctResponse/q:value", NS)]
                return values[0] if declaration.get("cardinality") == "single" else values
            case "mapResponse":
                return self._mapped(node.get("identifier"))
            case "not":
                return not self.value(node[0])
            case "and" | "or":
                return (all if name == "and" else any)(self.value(child) for child in node)
        parts = [self.value(child) for child in node]
        match name:
            case "match":
                if isinstance(parts[0], list) and self._unordered(node[0]):
                    return sorted(parts[0]) == sorted(parts[1])
                return parts[0] == parts[1]
            case "stringMatch":
                assert node.get("caseSensitive") == "false"
                return parts[0] is not None and parts[0].casefold() == parts[1].casefold()
            case "equal":
                assert node.get("toleranceMode") == "exact"
                return parts[0] == parts[1]
            case "gte":
                return parts[0] >= parts[1] - 1e-9
            case "lte":
                return parts[0] <= parts[1] + 1e-9
            case "member":
                return parts[0] in (parts[1] or [])
            case "index":
                return parts[0][int(node.get("n")) - 1]
            case "isNull":
                return parts[0] in (None, "", [])
            case "sum":
                return sum(parts)
            case "multiple":
                return [item for part in parts for item in (part if isinstance(part, list) else [part])]
        raise AssertionError(name)

    def _unordered(self, node: etree._Element) -> bool:
        return self.declared(node.get("identifier")).get("cardinality") == "multiple"

    def _mapped(self, name: str) -> float:
        mapping = self.declared(name).find("q:mapping", NS)
        worth = {entry.get("mapKey"): float(entry.get("mappedValue")) for entry in mapping}
        total = sum(worth.get(key, float(mapping.get("defaultValue"))) for key in set(self.values[name]))
        return min(max(total, float(mapping.get("lowerBound"))), float(mapping.get("upperBound")))


def name_of(node: etree._Element) -> str:
    return etree.QName(node).localname


def unpack(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def read(data: bytes) -> dict[str, Qti21Item]:
    files = unpack(data)
    manifest = etree.fromstring(files["imsmanifest.xml"])
    hrefs = [
        node.get("href") for node in manifest.iterfind(".//p:resource[@type='imsqti_item_xmlv2p1']", PACKAGE)
    ]
    roots = [etree.fromstring(files[href]) for href in hrefs]
    return {root.get("title"): Qti21Item(root) for root in roots}
