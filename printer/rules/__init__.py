"""Site rules: what a person knows of single sites, read from files and applied to pages."""

from __future__ import annotations

from .apply import NO_RULES, Match, Ruled, apply, enforce
from .files import Shelf, own_folder

__all__ = ["NO_RULES", "Match", "Ruled", "Shelf", "apply", "enforce", "own_folder"]
