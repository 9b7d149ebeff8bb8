"""The names of the commands."""

#: The module of each command, which is loaded when the command is used.
COMMANDS = {
    "print": "print",
    "extract": "extract",
    "explain": "extract",
    "login": "config",
    "rules": "rules",
    "themes": "config",
    "config": "config",
    "doctor": "doctor",
    "crawl": "crawl",
    "batch": "batch",
    "serve": "server",
    "worker": "server",
    "jobs": "server",
    "token": "server",
    "digest": "digest",
    "later": "digest",
    "search": "search",
}
