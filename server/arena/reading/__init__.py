"""What an arena shows: finished matches, official standings, comparisons."""
