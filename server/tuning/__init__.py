"""Making a bot better: two variants on the same luck (`tortuga compare`), parameters found by SPSA (`tortuga tune`)."""
