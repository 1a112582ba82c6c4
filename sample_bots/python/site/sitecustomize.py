"""What a Python bot can import: the standard library, the SDK, its own files, and what its own requirements.txt names.

`python` in a bot's command is the server's interpreter, which has many more packages: a bot that used numpy by accident
would fail wherever the server is installed without it. The referee puts this folder on a bot's PYTHONPATH, and Python
imports this module at its start. A bot that brings an interpreter of its own keeps all that is installed there.

This is a courtesy to authors and no protection: what a bot may read is decided by the jail.
"""

import os
import sys
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import spec_from_file_location
from types import ModuleType

SERVER_PREFIX = "TORTUGA_SERVER_PREFIX"
"""The variable that says where the server's Python is installed."""
PACKAGES = "site-packages"
"""The folder beside a bot's program where `tortuga bot build` puts what its requirements.txt names."""
FOR_BOTS = {
    *("tortuga", "tortuga_bot", "grpc", "google", "uvloop", "typing_extensions"),  # the SDK and what it needs
    "referee",  # the rules, for those who search with the forward model
    *("pip", "setuptools", "wheel", "pkg_resources", "_distutils_hack"),  # for builds
}


class ForBots:
    """Finds of the server's packages those that are for bots, and says of the others why they are not there."""

    def __init__(self, folders: list[str]) -> None:
        self._folders = folders

    def find_spec(self, name: str, path: object = None, target: ModuleType | None = None) -> ModuleSpec | None:
        """Find a package; called after everything else was asked."""
        if path is not None:
            return None
        spec = PathFinder.find_spec(name, self._folders, target)
        if name in FOR_BOTS:
            return spec or self._find_unlisted(name)
        if spec is None:
            return None
        hint = "Name it in requirements.txt in the bot's folder, then run: tortuga bot build FOLDER"
        raise ModuleNotFoundError(
            f"No module named {name!r} for bots; it is the server's." + (f" {hint}" if name != "server" else ""),
            name=name,
        )

    def _find_unlisted(self, name: str) -> ModuleSpec | None:
        """Find a package in a folder that may not be listed: a confined bot sees only what is for it."""
        for folder in self._folders:
            start = os.path.join(folder, name, "__init__.py")
            if os.path.isfile(start):
                return spec_from_file_location(name, start, submodule_search_locations=[os.path.dirname(start)])
        return None


def separate() -> None:
    """Take the server's packages off the path, and leave a finder for those that are for bots."""
    library = os.path.dirname(os.__file__)
    named = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    standard = (library, os.path.join(library, "lib-dynload"))
    visible = [entry for entry in sys.path if entry in named or entry in standard or entry.endswith(".zip")]
    server = [entry for entry in sys.path if entry not in visible]
    sys.path[:] = visible
    sys.meta_path.append(ForBots(server))


def add_own_packages() -> None:
    """Put on the path what was installed into the bot's folder."""
    for word in sys.orig_argv[1:]:
        packages = os.path.join(os.path.dirname(word), PACKAGES)
        if word.endswith(".py") and os.path.isdir(packages):
            sys.path.append(packages)
            return


if os.environ.get(SERVER_PREFIX) == sys.prefix:
    separate()
add_own_packages()
