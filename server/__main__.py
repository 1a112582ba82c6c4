"""`python -m server` is `tortuga`."""

from server.cli.main import main

main()
