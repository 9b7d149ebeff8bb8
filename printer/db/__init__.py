"""Databases: SQLAlchemy engines, SQLite settings, and the library of past prints."""
