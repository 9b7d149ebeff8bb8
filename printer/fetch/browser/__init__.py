"""Chromium, driven by Playwright, behind a proxy that enforces the address rules.

``browser`` schedules pages, ``process`` starts and ends Chromium, ``capture`` loads and reads one
page, ``network`` watches its requests, ``login`` saves the state after a person has signed in.
"""
