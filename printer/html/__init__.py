"""Parse a page: bytes to text, tree, text segments and metadata."""
