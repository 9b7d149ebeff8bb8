from printer.html.elements import ElementsByTag
from printer.html.parse import parse


def test_elements_are_found_by_name_in_document_order():
    tree = parse("<h2>Tides</h2><p>High <b>water</b> is at <i>six</i>, <b>low</b> at noon.</p>")
    elements = ElementsByTag(tree)
    assert [element.text for element in elements.find("i", "b")] == ["water", "six", "low"]
    assert elements.find("b") == list(tree.iter("b"))
    assert elements.find("table", "h3") == []
