"""Fetch pages and pictures: from allowed addresses only, within limits, cached.

``client`` fetches over HTTP, ``browser`` runs a page's scripts first, ``files`` reads local files
and standard input.  Nothing is imported here: a page from a file needs neither HTTP nor a browser.
"""
