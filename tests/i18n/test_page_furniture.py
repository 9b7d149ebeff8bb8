"""The labels of page furniture: in many languages, without duplicates or mere punctuation."""

from printer.i18n import load_table


def test_labels_of_other_stories_are_known_in_many_languages():
    labels = load_table("page_furniture")["story_labels"]
    assert len(labels) >= 50
    for language, of_language in labels.items():
        assert len(of_language) == len(set(of_language)), language
        assert all(label == label.lower().strip() and len(label) > 1 for label in of_language)
