"""Site rules: a user's instructions for single sites, read from files and applied to pages."""
