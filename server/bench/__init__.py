"""Measurements: the referee beside bare gRPC, bots side by side, large events, a busy arena."""
