"""Bots on disk: their manifests (spec.py), the kits of the languages, new bots made from a kit, builds, kits' checks.

A built folder as one archive: bundle.py, bundle_store.py. What strangers send: upload.py, upload_pack.py. Packages for
builds without network: kit_cache.py.

How a bot runs is in server/hosting/, how its conduct is checked in server/conformance/.
"""
