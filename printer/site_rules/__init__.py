"""Site rules: a user's instructions for single sites, read from files and applied to pages."""

from __future__ import annotations

from .apply import NO_RULES, RuleMatch, SelectorMatch, apply_rules, match_rules

__all__ = ["NO_RULES", "RuleMatch", "SelectorMatch", "apply_rules", "match_rules"]
