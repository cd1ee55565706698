"""What a run may write to."""

import pytest

from textnb.workflow.outputs import OutputRefused, check_new, check_picture_file, free_name, is_input


def test_a_file_by_any_name_is_an_input(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("a.csv", "b.csv", "c.txt"):
        (tmp_path / name).touch()
    (tmp_path / "link").symlink_to("a.csv")
    for path in ("a.csv", "./a.csv", tmp_path / "a.csv", "link"):
        assert is_input(path, ["a.csv"])
        assert is_input(path, ["b.csv", "*.csv"])
        assert not is_input(path, ["b.csv", "-", "missing.csv", None, object()])
    assert not is_input("c.txt", ["*.csv"])
    assert not is_input("new.csv", ["*.csv"])


def test_files_of_a_folder_are_inputs_where_they_are_read(tmp_path):
    for place in ("plain/ham/x", "plain/x", "plain/.hidden/x", "plain/ham/.x", "parts/train/ham/x", "parts/test/ham/x"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).touch()
    for place in ("parts/train/x", "parts/other/ham/x"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).touch()

    def read(place):
        return is_input(tmp_path / place, [tmp_path / place.partition("/")[0]])

    assert [read(f"plain/{name}") for name in ("ham/x", "x", ".hidden/x", "ham/.x")] == [True, False, False, False]
    in_parts = ("train/ham/x", "test/ham/x", "train/x", "other/ham/x")
    assert [read(f"parts/{name}") for name in in_parts] == [True, True, False, False]
    assert not is_input(tmp_path / "plain/ham/x", [tmp_path / "parts"])


def test_tables_are_written_to_new_files(tmp_path):
    table = tmp_path / "predictions.csv"
    check_new(table)
    table.touch()
    with pytest.raises(OutputRefused, match=r"predictions.csv: it exists; choose .*--overwrite"):
        check_new(table)
    with pytest.raises(OutputRefused, match="one of the inputs"):
        check_new(table, [table])
    check_new(table, [table], overwrite=True)


def test_a_picture_may_be_drawn_over_one_of_its_kind(tmp_path):
    picture = tmp_path / "p.png"
    check_picture_file(picture)
    picture.write_bytes(b"\x89PNG\r\n\x1a\n")
    check_picture_file(picture)
    for content in (b"%PDF-1.4", b"", b"notes"):
        picture.write_bytes(content)
        with pytest.raises(OutputRefused, match="not such a picture"):
            check_picture_file(picture)
        check_picture_file(picture, overwrite=True)


def test_a_free_name_is_taken_at_once(tmp_path):
    names = [free_name(tmp_path / "mail.tnb").name for _ in range(3)]
    assert names == ["mail-2.tnb", "mail-3.tnb", "mail-4.tnb"]
