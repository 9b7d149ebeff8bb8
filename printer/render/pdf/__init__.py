"""Finished PDF files: merged, imposed, turned grey, numbered and described."""
