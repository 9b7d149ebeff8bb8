"""The names of the commands."""

#: The module of each command, which is loaded when the command is used, and what it does in short.
COMMANDS = {
    "print": ("print", "print pages (the default)"),
    "extract": ("extract", "write articles as text"),
    "explain": ("extract", "show why text was kept"),
    "batch": ("batch", "print a list of pages"),
    "crawl": ("crawl", "find the articles of a site"),
    "search": ("search", "search what was printed"),
    "login": ("config", "sign in on a site"),
    "rules": ("rules", "correct pages of a site"),
    "themes": ("config", "list the layouts"),
    "config": ("config", "show or change settings"),
    "digest": ("digest", "print new articles of feeds"),
    "later": ("digest", "note a page for a digest"),
    "serve": ("server", "run the print server"),
    "worker": ("server", "print for a server"),
    "jobs": ("server", "list a server's prints"),
    "token": ("server", "show the server's token"),
    "doctor": ("doctor", "check this machine"),
    "help": ("help", "explain a command"),
}
