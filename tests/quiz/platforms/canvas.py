"""A QTI 1.2 package, read with lxml and marked by the rules in it; several right answers as Canvas pays for them."""

from __future__ import annotations

import io
import zipfile
from dataclasses import dataclass

from lxml import etree

from .tries import Try

NS = {"q": "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"}
PACKAGE = {"p": "http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"}

# The order of elements after the specification's ims_qtiasiv1p2.dtd, for those that Canvas reads.
DTD = """
<!ELEMENT questestinterop (assessment)>
<!ATTLIST questestinterop xmlns CDATA #FIXED "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"
  xmlns:xsi CDATA #IMPLIED xsi:schemaLocation CDATA #IMPLIED>
<!ELEMENT assessment (qtimetadata*, section+)> <!ATTLIST assessment ident CDATA #REQUIRED title CDATA #IMPLIED>
<!ELEMENT qtimetadata (qtimetadatafield+)> <!ELEMENT qtimetadatafield (fieldlabel, fieldentry)>
<!ELEMENT fieldlabel (#PCDATA)> <!ELEMENT fieldentry (#PCDATA)>
<!ELEMENT section (selection_ordering?, (item | section)*)> <!ATTLIST section ident CDATA #REQUIRED title CDATA #IMPLIED>
<!ELEMENT selection_ordering (selection*)> <!ELEMENT selection (selection_number?, selection_extension?)>
<!ELEMENT selection_number (#PCDATA)> <!ELEMENT selection_extension (points_per_item)>
<!ELEMENT points_per_item (#PCDATA)>
<!ELEMENT item (itemmetadata?, presentation?, resprocessing*, itemfeedback*)>
<!ATTLIST item ident CDATA #REQUIRED title CDATA #IMPLIED>
<!ELEMENT itemmetadata (qtimetadata*)>
<!ELEMENT presentation (material | response_lid | response_str)+>
<!ELEMENT material (mattext)+> <!ELEMENT mattext (#PCDATA)> <!ATTLIST mattext texttype CDATA "text/plain">
<!ELEMENT response_lid (material?, render_choice)> <!ATTLIST response_lid ident CDATA #REQUIRED
  rcardinality (Single | Multiple | Ordered) "Single">
<!ELEMENT response_str (render_fib)> <!ATTLIST response_str ident CDATA #REQUIRED
  rcardinality (Single | Multiple | Ordered) "Single">
<!ELEMENT render_choice (response_label+)> <!ELEMENT render_fib (response_label+)>
<!ATTLIST render_fib fibtype (String | Integer | Decimal | Scientific) "String">
<!ELEMENT response_label (material?)> <!ATTLIST response_label ident CDATA #REQUIRED rshuffle (Yes | No) "Yes">
<!ELEMENT resprocessing (outcomes, respcondition+)> <!ELEMENT outcomes (decvar+)> <!ELEMENT decvar EMPTY>
<!ATTLIST decvar maxvalue CDATA #IMPLIED minvalue CDATA #IMPLIED varname CDATA "SCORE" vartype CDATA "Integer">
<!ELEMENT respcondition (conditionvar, setvar*, displayfeedback*)> <!ATTLIST respcondition continue (Yes | No) "No">
<!ELEMENT conditionvar (not | and | or | varequal | vargte | varlte | other)+>
<!ELEMENT not (and | or | varequal | vargte | varlte | other)>
<!ELEMENT and (not | and | or | varequal | vargte | varlte)+>
<!ELEMENT or (not | and | or | varequal | vargte | varlte)+> <!ELEMENT other EMPTY>
<!ELEMENT varequal (#PCDATA)> <!ATTLIST varequal respident CDATA #REQUIRED>
<!ELEMENT vargte (#PCDATA)> <!ATTLIST vargte respident CDATA #REQUIRED>
<!ELEMENT varlte (#PCDATA)> <!ATTLIST varlte respident CDATA #REQUIRED>
<!ELEMENT setvar (#PCDATA)>
<!ATTLIST setvar varname CDATA "SCORE" action (Set | Add | Subtract | Multiply | Divide) "Set">
<!ELEMENT displayfeedback EMPTY> <!ATTLIST displayfeedback feedbacktype (Response | Solution | Hint) "Response"
  linkrefid CDATA #REQUIRED>
<!ELEMENT itemfeedback (flow_mat | material)+> <!ATTLIST itemfeedback ident CDATA #REQUIRED>
<!ELEMENT flow_mat (material)+>
"""


@dataclass
class CanvasQuestion:
    node: etree._Element

    def fields(self) -> dict[str, str]:
        path = "q:itemmetadata/q:qtimetadata/q:qtimetadatafield"
        return {
            node.findtext("q:fieldlabel", namespaces=NS): node.findtext("q:fieldentry", namespaces=NS)
            for node in self.node.iterfind(path, NS)
        }

    @property
    def kind(self) -> str:
        return self.fields()["question_type"]

    def labels(self, response: etree._Element) -> list[str]:
        return [label.get("ident") for label in response.iterfind(".//q:response_label", NS)]

    def responses(self, given: Try) -> dict[str, set[str]]:
        """What the platform holds for each response, from what a learner does with what is shown."""
        shown = self.node.xpath(
            "q:presentation/q:response_lid | q:presentation/q:response_str", namespaces=NS
        )
        names = [node.get("ident") for node in shown]
        match given.form:
            case "truth":
                texts = [node.text for node in shown[0].iterfind(".//q:mattext", NS)]
                return {names[0]: {self.labels(shown[0])[texts.index(str(given.value))]}}
            case "choice":
                return {names[0]: {self.labels(shown[0])[place] for place in given.value}}
            case "number" | "text":
                return {names[0]: {given.value}}
            case "blanks":
                held = {}
                for node, text in zip(shown, given.value, strict=True):
                    texts = [label.findtext("q:material/q:mattext", namespaces=NS).casefold()
                             for label in node.iterfind(".//q:response_label", NS)]  # fmt: skip
                    same = [
                        self.labels(node)[at] for at, known in enumerate(texts) if known == text.casefold()
                    ]
                    held[node.get("ident")] = set(same[:1])
                return held
            case "match":
                return {
                    node.get("ident"): {self.labels(node)[pick]}
                    for node, pick in zip(shown, given.value, strict=True)
                }
            case "order":  # each item gets the number of its place from the menu
                menus = [
                    [node.text for node in item.iterfind("q:render_choice//q:mattext", NS)] for item in shown
                ]
                turn = {item: str(number + 1) for number, item in enumerate(given.value)}
                return {
                    names[item]: {self.labels(shown[item])[menus[item].index(turn[item])]}
                    for item in range(len(shown))
                }
        raise AssertionError(given)

    def mark(self, given: Try) -> tuple[float, str]:
        """(share of the points, what is said)."""
        held, score, said = self.responses(given), 0.0, []
        for condition in self.node.iterfind("q:resprocessing/q:respcondition", NS):
            if not any(holds(test, held) for test in condition.find("q:conditionvar", NS)):
                continue
            for setting in condition.iterfind("q:setvar", NS):
                score = float(setting.text) + (score if setting.get("action") == "Add" else 0)
            said += [node.get("linkrefid") for node in condition.iterfind("q:displayfeedback", NS)]
            if condition.get("continue") == "No":
                break
        if self.kind == "multiple_answers_question":
            score = 100 * self._share_of_several(held)
        texts = {
            node.get("ident"): "".join(node.itertext()) for node in self.node.iterfind("q:itemfeedback", NS)
        }
        return score / 100, "".join(texts[name] for name in said)

    def _share_of_several(self, held: dict[str, set[str]]) -> float:
        """Canvas: a right one earns its part, a wrong one costs as much, never below nothing."""
        path = "q:resprocessing/q:respcondition/q:conditionvar/q:and/q:varequal"
        right = {node.text for node in self.node.iterfind(path, NS)}
        chosen = next(iter(held.values()))
        return max(len(chosen & right) - len(chosen - right), 0) / len(right)


def holds(test: etree._Element, held: dict[str, set[str]]) -> bool:
    name = etree.QName(test).localname
    if name == "other":
        return True
    if name == "not":
        return not holds(test[0], held)
    if name in ("and", "or"):
        return (all if name == "and" else any)(holds(part, held) for part in test)
    values = held[test.get("respident")]
    if name == "varequal":
        wanted = test.text.casefold()
        return any(value.casefold() == wanted or _same_number(value, wanted) for value in values)
    numbers = [float(value) for value in values]
    bound = float(test.text)
    return any(value >= bound - 1e-9 if name == "vargte" else value <= bound + 1e-9 for value in numbers)


def _same_number(one: str, other: str) -> bool:
    try:
        return float(one) == float(other)
    except ValueError:
        return False


def unpack(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def read(data: bytes) -> dict[str, CanvasQuestion]:
    files = unpack(data)
    manifest = etree.fromstring(files["imsmanifest.xml"])
    resource = manifest.find(".//p:resource[@type='imsqti_xmlv1p2']", PACKAGE)
    root = etree.fromstring(files[resource.find("p:file", PACKAGE).get("href")])
    return {node.get("title"): CanvasQuestion(node) for node in root.iter(f"{{{NS['q']}}}item")}
