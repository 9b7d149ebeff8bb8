"""Site rules: a user's instructions for certain sites, read from files and applied to pages."""
