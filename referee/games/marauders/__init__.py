"""Marauders: pirates and traders in the Caribbean, 2 to 4 seats. The folder's table of contents."""
