"""`python -m server` is `tortuga`."""

from server.cli import main

main()
