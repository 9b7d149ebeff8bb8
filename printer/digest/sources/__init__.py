"""Sources of articles: feeds, mail folders, reading lists, crawls."""
