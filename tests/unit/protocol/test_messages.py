"""The generated message classes."""

from tools.generate.messages import generated


def test_generated_modules_are_fresh() -> None:
    """What is generated from the schema texts is what is in the repository: `make docs` writes it anew."""
    for path, text in generated().items():
        assert path.read_text() == text, f"{path.name} is stale: run `make docs`"
    folder = next(iter(generated())).parent
    assert set(folder.glob("*.py")) == set(generated())
