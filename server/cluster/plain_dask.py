"""Lets Dask read nothing but plain values in this process: numbers, texts, bytes, and lists and tables of them.

Dask unpickles what it receives: results and exceptions of tasks, warnings, failures of calls. A pickle runs code, and
ours would run it beside the signing key. Whoever holds a certificate of the cluster can make the scheduler pass on what
they like, so nothing that comes through it is unpickled. Our machines answer in plain values (messages.py).
"""

from __future__ import annotations

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any, NoReturn

from referee.errors import ConfigError

NOT_READ = "(not read: it was no plain value)"
"""Stands for whatever only a pickle could bring."""
CODE = frozenset({"__Serialized__", "__Pickled__", "__Enum__"})
"""How Dask marks values that reading would unpickle or import."""


def refuse_pickles() -> None:
    """Close every way by which Dask's client would unpickle something, for as long as this process lives."""
    from distributed import client, protocol
    from distributed.protocol import pickle

    for module, name, instead in (
        (protocol, "loads", read_plain),  # all that arrives through a connection
        (pickle, "loads", _refuse),  # failures of calls and of tasks
        (client, "loads", _refuse),  # types of results, failures of variables
        (client, "pickle", SimpleNamespace(loads=_refuse)),  # warnings
    ):
        if not hasattr(module, name):
            raise ConfigError(f"this version of Dask has no {module.__name__}.{name}: install another one")
        setattr(module, name, instead)


def read_plain(frames: Sequence[Any], deserialize: bool = True, deserializers: object = None) -> Any:
    """Read a message of Dask, and leave out what is not plain. The arguments are Dask's own."""
    import msgpack  # type: ignore[import-untyped]
    from distributed.protocol.utils import msgpack_opts

    return msgpack.loads(frames[0], object_hook=_keep_plain, use_list=False, **msgpack_opts)


def _keep_plain(value: dict[Any, Any]) -> Any:
    if not CODE.isdisjoint(value):
        return NOT_READ
    return set(value["as-list"]) if "__Set__" in value else value


def _refuse(*_: object, **__: object) -> NoReturn:
    raise TypeError(NOT_READ)  # of a kind that Dask expects of a pickle it cannot read
