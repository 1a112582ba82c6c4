"""What tests share. `tests/` itself is no package: it is on pytest's path, so tests write `from support import …`."""
