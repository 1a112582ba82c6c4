"""The options that the commands of a cluster share. Nothing of Dask is imported for them."""

from __future__ import annotations

from pathlib import Path

import click

certificates_option = click.option(
    "--certificates",
    type=click.Path(file_okay=False, path_type=Path),
    envvar="TORTUGA_CERTIFICATES",
    metavar="DIR",
    help="The folder of certificates. Also TORTUGA_CERTIFICATES.",
)
