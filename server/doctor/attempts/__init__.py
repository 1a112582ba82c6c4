"""Hostile programs, run as real bots to see what holds them: the standard library alone, and nothing of ours.

The folder is copied into a bot's folder (server/doctor/setting.py), so imports in here are relative. Every program
takes a little more than it may have, shows that it could, and puts it back: it can be run on a machine in use.
"""
