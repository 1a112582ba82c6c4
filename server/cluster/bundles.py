"""Sends bots to machines as bundles, named by their hash.

The process that runs an event packs each bot once; a machine keeps the bundles it was sent, checks a bundle whenever a
new run uses it, and unpacks it for that run only, read-only.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from referee.errors import ConfigError
from server.bots.bundle import pack, why_foreign
from server.bots.bundle import unpack as unpack_bundle
from server.bots.bundle_store import UNPACKED, BundleStore, remove_tree
from server.bots.kits import refuse_unbuilt
from server.bots.spec import MANIFEST, BotSpec, read_manifest
from server.cluster.settings import dask_folder
from server.cluster.trial import OPEN, HomeTrial

CACHE_BYTES = 2 << 30
"""Above this, a machine removes bundles that were not used for long."""
UNUSED_SECONDS = 24 * 3600.0
"""Other workers on the same machine share the cache, and may have told their runs what is in it."""


class PackedBots:
    """The bots of a run as bundles, packed when they are first needed."""

    def __init__(self, trial: HomeTrial) -> None:
        self._trial = trial
        self._packed: dict[Path, asyncio.Task[tuple[str, bytes]]] = {}

    async def get(self, spec: BotSpec) -> tuple[str, bytes]:
        """Return the hash and the bytes of a bot's bundle."""
        if spec.folder is None:
            raise ConfigError(
                f"the bot {spec.name} is a command on this machine, but a cluster needs bots as folders: give it a "
                f"folder with a {MANIFEST}"
            )
        if spec.folder not in self._packed:
            self._packed[spec.folder] = asyncio.create_task(self._pack(spec))
        return await asyncio.shield(self._packed[spec.folder])

    async def _pack(self, spec: BotSpec) -> tuple[str, bytes]:
        refuse_unbuilt(spec)
        sha256, content = await asyncio.to_thread(pack_bot, spec)
        if not spec.bundle_hash:  # else it plays from its bundle here, too
            await self._trial.check(spec, content)
        return sha256, content

    def forget(self, folder: Path) -> None:
        """Let go of a bot: it is gone, or its folder may have changed."""
        self._packed.pop(folder, None)


def pack_bot(spec: BotSpec) -> tuple[str, bytes]:
    """Return the hash and bytes of a bot's bundle: the stored one that it plays from, or a new one of its folder.

    Whatever the bot is called here, the same folder gives the same bundle.
    """
    assert spec.folder is not None
    if spec.bundle_hash and spec.folder.parent.name == UNPACKED:
        stored = BundleStore(spec.folder.parents[1]).find(spec.bundle_hash.hex())
        return stored.sha256, stored.path.read_bytes()
    spec = read_manifest(spec.folder / MANIFEST)
    with tempfile.TemporaryFile() as file:
        sha256 = pack(spec, file)
        file.seek(0)
        return sha256, file.read()


class ReceivedBots:
    """The bots that a machine was sent."""

    def __init__(self, folder: Path, cache: Path | None = None) -> None:
        """`folder` is where this run unpacks them; it is removed at the end."""
        self._folder = folder
        self._store = BundleStore(cache or dask_folder() / "bundles")
        self._manifests: dict[str, BotSpec] = {}
        """The manifest of each unpacked bot, by its hash: every block asks for some."""

    @property
    def cached(self) -> frozenset[str]:
        """Return the hashes of all bundles that need not be sent again."""
        return frozenset(self._store.all())

    def trim(self) -> None:
        """Remove the least recently used bundles, if there are too many. Call it before listing what is cached."""
        self._store.trim(CACHE_BYTES, time.time() - UNUSED_SECONDS)

    def take(self, sha256: str, content: bytes | None) -> str:
        """Get a bot ready to play, from the bytes that were sent or from the cache. Returns why that cannot be."""
        try:
            if content is not None:
                with tempfile.NamedTemporaryFile(prefix="tortuga-bundle-") as file:
                    file.write(content)
                    file.flush()
                    self._store.add_file(Path(file.name), sha256)
            if reason := why_foreign(self._store.describe(sha256)):
                return reason
            self._unpack(sha256)
            self._store.touch(sha256)
        except ConfigError as error:
            return str(error)
        return ""

    def _unpack(self, sha256: str) -> None:
        place = self._folder / sha256
        if place.exists():
            return
        self._folder.mkdir(mode=OPEN, exist_ok=True)
        self._folder.chmod(OPEN)
        draft = place.with_name(f".{sha256}.{os.urandom(4).hex()}")
        draft.mkdir()
        try:
            unpack_bundle(self._store.find(sha256).path, draft)
            draft.chmod(0o755)  # a folder that cannot be written to cannot be renamed
            draft.replace(place)
            place.chmod(0o555)
        finally:
            remove_tree(draft)

    def manifest(self, sha256: str) -> BotSpec:
        """Return a bot as its bundle describes it."""
        if (local := self._manifests.get(sha256)) is None:
            local = self._manifests[sha256] = read_manifest(self._folder / sha256 / MANIFEST)
        return local

    def spec(self, sent: BotSpec) -> BotSpec:
        """Return a bot as it is played here, from how it was sent."""
        return replace(
            self.manifest(sent.bundle_hash.hex()),
            name=sent.name,
            version=sent.version,
            limits=sent.limits,
            asked=sent.asked,
        )

    def close(self) -> None:
        """Remove what was unpacked."""
        remove_tree(self._folder)


def as_sent(spec: BotSpec, sha256: str) -> BotSpec:
    """Return a bot without anything that is true of one machine only."""
    return replace(spec, run=(), build=(), folder=None, bundle_hash=bytes.fromhex(sha256))
