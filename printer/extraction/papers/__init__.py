"""The five extraction methods from the literature, one module per paper."""
