"""The patterns by which secrets are recognised in a log."""

from __future__ import annotations

import re

TOKEN_MARK = "ttg_"
"""Tokens of remote bots begin with this, so that they are recognised wherever they turn up."""
REDACTED = "[redacted]"
SECRET_KEYS = frozenset({"token", "authorization", "secret", "environment"})

LOOKS_SECRET = re.compile(rf"{TOKEN_MARK}[A-Za-z0-9_-]{{8,}}|(?<=Bearer )[A-Za-z0-9_.~+/=-]+")
