"""Digests: articles from many sources, selected, printed as one file, and delivered on schedule.

    config.Digest                      the [[digest]] tables of webprint.toml
      builder.Collector                candidates of the sources, and their pages
      selection.StorySelector          stories to print, and why the others are not
      builder.IssueBuilder             the issue as one file
      runner.run_digest -> delivery    deliver it; selection.StoryHistory remembers the stories

Also used on their own: :mod:`.delivery` with :func:`.config.destinations`, which sends single
prints, and :mod:`.reading_list`.
"""
