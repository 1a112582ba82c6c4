"""What the commands share: options, output, calls of an arena."""
