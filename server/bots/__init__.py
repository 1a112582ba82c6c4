"""Bots on disk: their manifests (spec.py), the kits of the languages, new bots made from a kit, builds, kits' checks.

How a bot runs is in server/hosting/, how its conduct is checked in server/conformance/.
"""
