"""Chromium, driven by Playwright, behind a proxy that enforces the address rules.

``browser`` schedules pages, ``process`` starts and ends Chromium, ``capture`` loads and reads one
page, ``network`` watches its requests, ``login`` records the state after a person signed in.
"""
