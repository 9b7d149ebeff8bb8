"""Digests: articles from many sources, chosen, joined into one PDF, and delivered on a schedule.

webprint.toml -> Digest    what a digest is, checked (described.py)
  sources -> Find          what feeds, folders and lists offer (feeds.py, mail.py, ...)
  choose  -> Chosen        what of it is printed, and why the rest is not
  edition -> Edition       the PDF, and what is to be told about it
  deliver                  where it goes; memory.py keeps what was printed
"""
