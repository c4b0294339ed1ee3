"""What a segment's index is asked when it is read: whether its entries go up."""

from array import array
from types import ModuleType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ottla.protocol.records.kernel import compiled, pure

INT32S, INT64S = st.integers(-(2**31), 2**31 - 1), st.integers(-(2**63), 2**63 - 1)


@pytest.mark.parametrize("kernel", [compiled, pure])
@given(st.one_of(st.tuples(st.just("i"), st.lists(INT32S)), st.tuples(st.just("q"), st.lists(INT64S))), st.booleans())
def test_it_is_what_sorting_leaves_alone(kernel: ModuleType, case: tuple[str, list[int]], is_sorted: bool) -> None:
    """Numbers rise if sorting them changes nothing, and strictly if none of them stands there twice."""
    typecode, numbers = case
    numbers = sorted(numbers) if is_sorted else numbers
    rising = sorted(numbers) == numbers
    assert kernel.rises(array(typecode, numbers), strictly=False) is rising
    assert kernel.rises(array(typecode, numbers)) is (rising and len(set(numbers)) == len(numbers))
