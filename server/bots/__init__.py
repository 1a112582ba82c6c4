"""Bots as their authors handle them: the kits of the languages, a new bot out of one, its build.

What a bot is (its manifest) is in server/bots/spec.py, how it runs in server/hosting/launcher.py, how it is tried in
server/conformance/.
"""
