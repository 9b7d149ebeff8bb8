"""From bytes to a page: tree, text segments, metadata."""
