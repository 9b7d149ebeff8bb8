"""Finding articles: addresses made one, a frontier on disk, polite and bounded crawling."""
