"""The default extractor: a trained classifier of text segments."""
