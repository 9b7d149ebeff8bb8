"""The print server: pages for people, an API for programs, and the door that guards both."""
