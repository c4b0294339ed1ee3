"""What every disk must do while nothing fails. What a crash leaves behind is for the simulated world's own tests."""

import errno

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ottla.errors import DiskError, LockHeld, NoSuchFile
from ottla.world.api import DirectoryEntry, Disk, File, World
from tests.conformance import Run


class FileConformance:
    """Positions are the caller's, writes are whole, reads end where the file does. `folder` is on the world's disk."""

    def test_what_was_written_is_read_at_its_position(self, run: Run, folder: str) -> None:
        """A read gives the bytes at a position, and fewer only where the file ends."""

        async def main(world: World) -> None:
            file = new_file(world.disk, folder)
            assert file.write(0, [b"hello world"]) == 11
            assert file.read(6, 5) == b"world"
            assert file.read(6, 100) == b"world"
            assert file.read(11, 1) == b""
            assert file.read(1_000, 1) == b""
            assert file.read(0, 0) == b""
            file.close()

        run(main)

    def test_chunks_are_written_one_behind_the_other(self, run: Run, folder: str) -> None:
        """Chunks of any kind, empty ones too, stand in the file one behind the other."""

        async def main(world: World) -> None:
            file = new_file(world.disk, folder)
            chunks: list[bytes | bytearray | memoryview] = [b"ab", bytearray(b"cd"), b"", memoryview(b"xefx")[1:3]]
            assert file.write(3, chunks) == 6
            assert file.read(0, 100) == b"\0\0\0abcdef"
            assert file.write(0, []) == 0
            assert file.write(50, [b"", b""]) == 0
            assert file.size() == 9
            file.close()

        run(main)

    def test_thousands_of_chunks_are_written_at_once(self, run: Run, folder: str) -> None:
        """One write takes any number of chunks, more than the operating system takes in one call."""

        async def main(world: World) -> None:
            file = new_file(world.disk, folder)
            chunks = [index.to_bytes(2, "big") for index in range(5_000)]
            assert file.write(0, chunks) == 10_000
            assert file.read(0, 20_000) == b"".join(chunks)
            file.close()

        run(main)

    def test_a_large_file_is_read_whole(self, run: Run, folder: str) -> None:
        """A megabyte is written and read in one call each."""

        async def main(world: World) -> None:
            file = new_file(world.disk, folder)
            content = world.rng.randbytes(1_000_003)
            assert file.write(0, [content]) == len(content)
            assert file.read(0, 2_000_000) == content
            file.close()

        run(main)

    def test_a_cached_read_gives_the_bytes_or_nothing(self, run: Run, folder: str) -> None:
        """A cached read is None, or exactly what a read would be; also across the end of the file and behind it."""

        async def main(world: World) -> None:
            file = new_file(world.disk, folder)
            file.write(0, [world.rng.randbytes(100_000)])
            for position, size in ((0, 10), (4_000, 90_000), (99_990, 100), (100_000, 10), (200_000, 10), (5, 0)):
                for _ in range(10):
                    assert file.read_cached(position, size) in (None, file.read(position, size))
            file.close()

        run(main)

    def test_truncating_cuts_or_extends_with_zeros(self, run: Run, folder: str) -> None:
        """A file is cut to a size, or extended by zeros, and what was cut does not come back."""

        async def main(world: World) -> None:
            file = new_file(world.disk, folder)
            file.write(0, [b"abcdef"])
            file.truncate(2)
            assert (file.size(), file.read(0, 10)) == (2, b"ab")
            file.truncate(5)
            assert (file.size(), file.read(0, 10)) == (5, b"ab\0\0\0")
            file.sync()
            file.close()

        run(main)

    def test_two_openings_see_the_same_bytes(self, run: Run, folder: str) -> None:
        """What is written through one opening is read through another at once."""

        async def main(world: World) -> None:
            file = new_file(world.disk, folder)
            other = world.disk.open(file.path, read_only=True)
            file.write(0, [b"seen"])
            assert other.read(0, 10) == b"seen"
            assert other.size() == 4
            file.close()
            assert other.read(0, 10) == b"seen"
            other.close()

        run(main)

    def test_an_unlinked_file_lives_until_it_is_closed(self, run: Run, folder: str) -> None:
        """A file that is open is read and written as before when its name is gone."""

        async def main(world: World) -> None:
            file = new_file(world.disk, folder)
            file.write(0, [b"still"])
            world.disk.unlink(file.path)
            assert not world.disk.exists(file.path)
            file.write(5, [b" here"])
            file.sync()
            assert file.read(0, 20) == b"still here"
            file.close()

        run(main)

    def test_a_duplicate_is_closed_by_itself(self, run: Run, folder: str) -> None:
        """It reads the same bytes, and goes on when the file that it was made of is closed."""

        async def main(world: World) -> None:
            file = new_file(world.disk, folder)
            other = file.duplicate()
            file.write(0, [b"seen"])
            file.close()
            assert other.read(0, 10) == b"seen"
            with pytest.raises(DiskError, match="file"):
                file.duplicate()
            other.close()
            with pytest.raises(DiskError, match="file"):
                other.read(0, 1)

        run(main)

    def test_a_closed_file_refuses(self, run: Run, folder: str) -> None:
        """Closing twice does nothing, and whatever else is done with a closed file is a DiskError that names it."""

        async def main(world: World) -> None:
            file = new_file(world.disk, folder)
            file.close()
            file.close()
            for call in (
                lambda: file.read(0, 1),
                lambda: file.read_cached(0, 1),
                lambda: file.write(0, [b"x"]),
                file.sync,
                lambda: file.truncate(0),
                file.size,
            ):
                with pytest.raises(DiskError, match="file") as refused:
                    call()
                assert refused.value.path == file.path

        run(main)

    def test_a_file_that_is_only_read_cannot_be_written(self, run: Run, folder: str) -> None:
        """Writing to and truncating a file that was opened for reading is refused."""

        async def main(world: World) -> None:
            new_file(world.disk, folder).close()
            file = world.disk.open(f"{folder}/file", read_only=True)
            with pytest.raises(DiskError):
                file.write(0, [b"x"])
            with pytest.raises(DiskError):
                file.truncate(0)
            file.close()

        run(main)

    @settings(
        max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.differing_executors]
    )
    @given(steps=st.lists(st.tuples(st.integers(0, 60), st.lists(st.binary(max_size=30), max_size=4)), max_size=12))
    def test_a_file_agrees_with_a_bytearray(self, run: Run, folder: str, steps: list[tuple[int, list[bytes]]]) -> None:
        """After any writes and truncations a file holds what a bytearray would. A step without chunks truncates."""

        async def main(world: World) -> None:
            file, model = new_file(world.disk, folder), bytearray()
            for position, chunks in steps:
                data = b"".join(chunks)
                if not chunks:
                    file.truncate(position)
                    model = model[:position] + bytes(position - len(model[:position]))
                elif data:
                    file.write(position, chunks)
                    model += bytes(max(0, position - len(model)))
                    model[position : position + len(data)] = data
                assert file.read(0, 1_000) == model
            file.close()
            world.disk.unlink(file.path)

        run(main)


class DirectoryConformance:
    """Names, directories and locks. `folder` is a path on the world's disk that need not exist."""

    def test_opening_what_is_missing(self, run: Run, folder: str) -> None:
        """A missing file is NoSuchFile with path and number, unless it is to be made; its directory must be there."""

        async def main(world: World) -> None:
            world.disk.make_directory(folder)
            with pytest.raises(NoSuchFile, match="missing") as refused:
                world.disk.open(f"{folder}/missing")
            assert (refused.value.path, refused.value.errno) == (f"{folder}/missing", errno.ENOENT)
            with pytest.raises(NoSuchFile):
                world.disk.open(f"{folder}/missing", read_only=True)
            with pytest.raises(NoSuchFile):
                world.disk.open(f"{folder}/nowhere/file", create=True)
            world.disk.open(f"{folder}/missing", create=True).close()
            world.disk.open(f"{folder}/missing", create=True).close()
            assert world.disk.exists(f"{folder}/missing")

        run(main)

    def test_exclusive_creation_demands_that_the_file_was_missing(self, run: Run, folder: str) -> None:
        """An exclusive creation makes the file or fails with EEXIST, and leaves an existing file as it is."""

        async def main(world: World) -> None:
            world.disk.make_directory(folder)
            file = world.disk.open(f"{folder}/one", create=True, exclusive=True)
            file.write(0, [b"mine"])
            with pytest.raises(DiskError) as refused:
                world.disk.open(f"{folder}/one", create=True, exclusive=True)
            assert refused.value.errno == errno.EEXIST
            assert file.read(0, 9) == b"mine"
            file.close()

        run(main)

    def test_directories_are_made_with_their_parents(self, run: Run, folder: str) -> None:
        """Making a directory makes its parents, does nothing if it is there, and fails where a file is."""

        async def main(world: World) -> None:
            world.disk.make_directory(f"{folder}/a/b/c")
            world.disk.make_directory(f"{folder}/a/b/c")
            assert world.disk.list(f"{folder}/a/b") == [DirectoryEntry("c", is_directory=True, size=0)]
            world.disk.open(f"{folder}/file", create=True).close()
            with pytest.raises(DiskError):
                world.disk.make_directory(f"{folder}/file")
            with pytest.raises(DiskError):
                world.disk.make_directory(f"{folder}/file/below")

        run(main)

    def test_a_directory_is_listed_in_the_order_of_names(self, run: Run, folder: str) -> None:
        """A listing has every file with its size and every directory, by name, and nothing from further below."""

        async def main(world: World) -> None:
            world.disk.make_directory(f"{folder}/m/deep")
            for index, name in enumerate(("z", "B", "a", "10", "9")):
                file = world.disk.open(f"{folder}/{name}", create=True)
                file.write(0, [bytes(index)])
                file.close()
            assert [(entry.name, entry.is_directory, entry.size) for entry in world.disk.list(folder)] == [
                ("10", False, 3),
                ("9", False, 4),
                ("B", False, 1),
                ("a", False, 2),
                ("m", True, 0),
                ("z", False, 0),
            ]
            with pytest.raises(NoSuchFile):
                world.disk.list(f"{folder}/nowhere")
            with pytest.raises(DiskError):
                world.disk.list(f"{folder}/a")

        run(main)

    def test_only_empty_directories_are_removed(self, run: Run, folder: str) -> None:
        """An empty directory is removed; a full one, a missing one and a file are not."""

        async def main(world: World) -> None:
            world.disk.make_directory(f"{folder}/full/empty")
            world.disk.open(f"{folder}/file", create=True).close()
            with pytest.raises(DiskError):
                world.disk.remove_directory(f"{folder}/full")
            with pytest.raises(DiskError):
                world.disk.remove_directory(f"{folder}/file")
            world.disk.remove_directory(f"{folder}/full/empty")
            world.disk.remove_directory(f"{folder}/full")
            assert not world.disk.exists(f"{folder}/full")
            with pytest.raises(NoSuchFile):
                world.disk.remove_directory(f"{folder}/full")

        run(main)

    def test_a_rename_replaces_its_target(self, run: Run, folder: str) -> None:
        """A file that is renamed stands under the new name alone, in place of what was there."""

        async def main(world: World) -> None:
            disk = world.disk
            for name in ("source", "target"):
                file = new_file(disk, folder, name)
                file.write(0, [name.encode()])
                file.close()
            old = disk.open(f"{folder}/target")
            disk.rename(f"{folder}/source", f"{folder}/target")
            assert [entry.name for entry in disk.list(folder)] == ["target"]
            new = disk.open(f"{folder}/target")
            assert (new.read(0, 10), old.read(0, 10)) == (b"source", b"target")
            new.close()
            old.close()
            with pytest.raises(NoSuchFile, match="source"):
                disk.rename(f"{folder}/source", f"{folder}/target")

        run(main)

    def test_a_directory_is_renamed_with_all_it_holds(self, run: Run, folder: str) -> None:
        """A directory keeps its files under its new name, and files that are open stay open."""

        async def main(world: World) -> None:
            world.disk.make_directory(f"{folder}/topic-0")
            file = new_file(world.disk, f"{folder}/topic-0")
            file.write(0, [b"kept"])
            world.disk.rename(f"{folder}/topic-0", f"{folder}/topic-0.gone-delete")
            assert not world.disk.exists(f"{folder}/topic-0")
            assert world.disk.exists(f"{folder}/topic-0.gone-delete/file")
            assert file.read(0, 9) == b"kept"
            file.close()

        run(main)

    def test_unlinking_removes_files_only(self, run: Run, folder: str) -> None:
        """A file is unlinked once; what is missing or a directory is refused."""

        async def main(world: World) -> None:
            world.disk.make_directory(f"{folder}/directory")
            new_file(world.disk, folder).close()
            world.disk.unlink(f"{folder}/file")
            with pytest.raises(NoSuchFile):
                world.disk.unlink(f"{folder}/file")
            with pytest.raises(DiskError):
                world.disk.unlink(f"{folder}/directory")

        run(main)

    def test_things_exist_or_not(self, run: Run, folder: str) -> None:
        """Files and directories exist, other names do not, nor do names below a file."""

        async def main(world: World) -> None:
            world.disk.make_directory(folder)
            new_file(world.disk, folder).close()
            assert world.disk.exists(folder)
            assert world.disk.exists(f"{folder}/file")
            assert not world.disk.exists(f"{folder}/other")
            assert not world.disk.exists(f"{folder}/file/below")

        run(main)

    def test_a_directory_is_synced_and_has_room(self, run: Run, folder: str) -> None:
        """A directory can be synced and has room on its file system; a missing one is refused."""

        async def main(world: World) -> None:
            world.disk.make_directory(folder)
            world.disk.sync_directory(folder)
            assert 0 < world.disk.free_bytes(folder) <= world.disk.total_bytes(folder)
            assert world.disk.open_files_max() >= 64
            with pytest.raises(NoSuchFile):
                world.disk.sync_directory(f"{folder}/nowhere")
            with pytest.raises(NoSuchFile):
                world.disk.free_bytes(f"{folder}/nowhere")
            with pytest.raises(NoSuchFile):
                world.disk.total_bytes(f"{folder}/nowhere")

        run(main)

    def test_a_lock_is_held_once(self, run: Run, folder: str) -> None:
        """A second lock of the same file is LockHeld, naming it, until the first is released; other files are free."""

        async def main(world: World) -> None:
            world.disk.make_directory(folder)
            lock = world.disk.lock(f"{folder}/.lock")
            assert world.disk.exists(f"{folder}/.lock")
            with pytest.raises(LockHeld, match=r"\.lock") as refused:
                world.disk.lock(f"{folder}/.lock")
            assert refused.value.path == f"{folder}/.lock"
            other = world.disk.lock(f"{folder}/.other")
            lock.release()
            lock.release()
            again = world.disk.lock(f"{folder}/.lock")
            again.release()
            other.release()
            with pytest.raises(NoSuchFile):
                world.disk.lock(f"{folder}/nowhere/.lock")

        run(main)

    def test_a_locked_file_may_be_read_and_closed(self, run: Run, folder: str) -> None:
        """Opening, reading and closing a locked file does not end its lock."""

        async def main(world: World) -> None:
            world.disk.make_directory(folder)
            lock = world.disk.lock(f"{folder}/.lock")
            file = world.disk.open(f"{folder}/.lock")
            file.read(0, 1)
            file.close()
            with pytest.raises(LockHeld):
                world.disk.lock(f"{folder}/.lock")
            lock.release()

        run(main)


def new_file(disk: Disk, folder: str, name: str = "file") -> File:
    """A new file in a folder that is made if it is missing."""
    disk.make_directory(folder)
    return disk.open(f"{folder}/{name}", create=True, exclusive=True)
