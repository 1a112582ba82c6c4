"""Code that several commands share: options, output, calls of an arena."""
