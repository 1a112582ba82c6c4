"""Records of matches: the file format, replaying and verifying."""
