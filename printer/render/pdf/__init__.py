"""Work on PDF files: merging, imposition, grayscale, line numbers and provenance."""
