"""Bots that their authors send: built, checked and released."""
