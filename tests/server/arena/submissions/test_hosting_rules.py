"""Who is hosted where bots are confined too little."""

from __future__ import annotations

from pathlib import Path

import pytest

from server.arena.errors import FailedPrecondition
from server.arena.submissions.hosting_rules import check_confined
from server.bots.spec import find_bot
from server.jail.level import JailLevel


def stranger(folder: Path) -> str:
    (folder / "bot.toml").write_text('name = "ann"\nrun = ["python", "{dir}/bot.py"]\n')
    return str(folder)


@pytest.mark.parametrize("level", JailLevel)
def test_a_stranger_s_bot_is_hosted_in_a_jail_or_when_the_organiser_insists(level: JailLevel, tmp_path: Path) -> None:
    spec = find_bot(stranger(tmp_path))
    check_confined(find_bot("random"), level, trusted=False)
    check_confined(spec, level, trusted=True)
    if level in (JailLevel.JAIL, JailLevel.JAIL_CGROUP):
        check_confined(spec, level, trusted=False)
    else:
        with pytest.raises(FailedPrecondition, match=rf"the level {level} only.*\btrust_hosted"):
            check_confined(spec, level, trusted=False)
