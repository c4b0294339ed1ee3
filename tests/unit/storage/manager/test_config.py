"""The settings of the log manager that Kafka does not have."""

from ottla.storage.manager.config import LEAST_OPEN_FILES, MOST_OPEN_FILES, LogManagerConfig


def test_half_of_the_descriptors_are_for_logs() -> None:
    """The other half is for connections; who may have few or very many gets something sensible, or what is said."""
    config = LogManagerConfig()
    assert config.open_files_kept(20_000) == 10_000
    assert config.open_files_kept(10) == LEAST_OPEN_FILES
    assert config.open_files_kept(10**9) == MOST_OPEN_FILES
    assert LogManagerConfig(open_files=7).open_files_kept(20_000) == 7
