"""Combats: who fights, shot by shot, and what follows."""
