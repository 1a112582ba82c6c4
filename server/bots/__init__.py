"""Bots on disk: their manifests (spec.py), the kits of the languages, new bots made from a kit, builds, kits' checks.

A built folder as one archive: bundle.py, bundle_store.py. Submitted archives: upload.py. Packages for
builds without network: kit_cache.py.

server/hosting/ runs bots, and server/conformance/ checks that they follow the protocol.
"""
