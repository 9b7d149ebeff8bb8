"""Crawls: a frontier on disk, and polite, bounded visits that find articles."""
