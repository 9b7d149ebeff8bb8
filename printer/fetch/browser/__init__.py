"""Chromium, driven by Playwright, behind a proxy that enforces the address rules.

``browser`` loads and reads pages, ``process`` starts and ends Chromium, ``login`` saves the state
after a person has signed in.
"""
