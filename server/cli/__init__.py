"""The command line: parse, call, print. One module per group of commands; main.py puts them together."""
