"""Records from which stage on a ruling changes the draw: once, by the process that draws, before it continues."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from server.tournament.contest import ContestState
from server.tournament.folder import Folder
from server.tournament.rulings.ruling_file import Rulings, open_rulings, read_rulings


def settle_rulings(
    folder: Folder, contests: Sequence[ContestState], running: Collection[tuple[str, int]] = ()
) -> Rulings:
    """Note from which stages on new rulings change the draw, before anything is drawn under them."""
    drawn = {state.id: state for state in contests if state.draws_from_results}
    rulings = read_rulings(folder.rulings)
    if not drawn or not rulings.unsettled([*drawn]):
        return rulings
    with open_rulings(folder.rulings) as file:
        for ruling in file.rulings.unsettled([*drawn]):
            file.note_effect(ruling, {name: state.next_stage(running) for name, state in drawn.items()})
        return file.rulings
