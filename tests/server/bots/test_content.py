"""The hash of a bot's content: the same while it is the same bot, another one after any change."""

from __future__ import annotations

from pathlib import Path

from server.bots.spec import content_sha256, find_bot


def write_bot(folder: Path) -> None:
    folder.mkdir()
    (folder / "bot.toml").write_text('name = "ann"\nversion = "1"\nrun = ["python", "{dir}/bot.py"]\n')
    (folder / "bot.py").write_text("print(1)\n")


def test_the_same_files_have_the_same_hash_wherever_they_lie(tmp_path: Path) -> None:
    for name in ("here", "there"):
        write_bot(tmp_path / name)
    first, second = (content_sha256(find_bot(str(tmp_path / name))) for name in ("here", "there"))
    assert first == second
    assert len(first) == 64


def test_an_event_that_is_played_in_its_folder_does_not_change_a_bot(tmp_path: Path) -> None:
    write_bot(tmp_path / "ann")
    before = content_sha256(find_bot(str(tmp_path / "ann")))
    event = tmp_path / "ann" / "tournaments" / "cup"
    (event / "records").mkdir(parents=True)
    for name in ("tournament.toml", "tortuga.db", "records/m1.tortuga"):
        (event / name).write_text("x")
        assert content_sha256(find_bot(str(tmp_path / "ann"))) == before
    (event.parent / "opening_book.txt").write_text("x")  # beside it, though, is the bot's
    assert content_sha256(find_bot(str(tmp_path / "ann"))) != before


def test_any_change_but_that_of_a_build_is_another_content(tmp_path: Path) -> None:
    write_bot(tmp_path / "ann")

    def sha256() -> str:
        return content_sha256(find_bot(str(tmp_path / "ann")))

    seen = [sha256()]
    (tmp_path / "ann" / "__pycache__").mkdir()
    (tmp_path / "ann" / "__pycache__" / "bot.pyc").write_text("built")
    assert sha256() == seen[0]
    (tmp_path / "ann" / "bot.py").write_text("print(2)\n")
    seen.append(sha256())
    (tmp_path / "ann" / "more.py").write_text("")
    seen.append(sha256())
    (tmp_path / "ann" / "more.py").rename(tmp_path / "ann" / "less.py")
    seen.append(sha256())
    assert len({*seen}) == 4


def test_a_command_is_its_words_and_files_and_a_remote_bot_is_unknown(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text("print(1)\n")
    first = content_sha256(find_bot("cmd: python bot.py", tmp_path))
    (tmp_path / "bot.py").write_text("print(2)\n")
    second = content_sha256(find_bot("cmd: python bot.py", tmp_path))
    assert len({first, second, content_sha256(find_bot("cmd: python bot.py --fast", tmp_path))}) == 3
    assert content_sha256(find_bot("remote: ann")) == ""
