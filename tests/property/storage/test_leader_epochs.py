"""Leader epochs agree with a plain list of the epoch of each record."""

from hypothesis import given
from hypothesis import strategies as st

from ottla.storage.leader_epochs import LeaderEpochs

STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("append"), st.integers(0, 2), st.integers(1, 5)),  # so many epochs later, so many records
        st.tuples(st.just("cut end"), st.integers(0, 30), st.just(0)),
        st.tuples(st.just("cut start"), st.integers(0, 30), st.just(0)),
        st.tuples(st.just("reload"), st.just(0), st.just(0)),
    ),
    max_size=30,
)


@given(STEPS)
def test_agrees_with_the_epoch_of_each_record(steps: list[tuple[str, int, int]]) -> None:
    """Every offset's epoch, and every epoch's end, are what looking at each record says; the file keeps them."""
    log, start, model, newest = LeaderEpochs(), 0, list[int](), 0  # `model` has the epochs of the records from `start`
    for step, number, count in steps:
        end = start + len(model)
        if step == "append":
            newest += number
            changed = log.assign(newest, end)
            assert changed == (not model or model[-1] != newest)
            model += [newest] * count
        elif step == "cut end" and start <= number <= end:
            log.truncate_from_end(number)
            del model[number - start :]
            if not model:
                log.clear()  # what a log does when nothing is left
        elif step == "cut start" and start <= number < end:
            log.truncate_from_start(number)
            del model[: number - start]
            start = number
        elif step == "reload":
            log = LeaderEpochs.from_bytes("", log.to_bytes())
        check(log, start, model)


def check(log: LeaderEpochs, start: int, model: list[int]) -> None:
    """Every question has the answer that the records give."""
    end = start + len(model)
    assert log.latest_epoch == (model[-1] if model else None)
    for position, epoch in enumerate(model):
        assert log.epoch_for_offset(start + position) == epoch
    for epoch in set(model):
        assert log.start_offset_of(epoch) == start + model.index(epoch)
        assert log.end_offset_for(epoch, end) == (epoch, start + len(model) - model[::-1].index(epoch))
    if model:
        for epoch in range(model[-1]):
            known = max((other for other in model if other <= epoch), default=epoch)
            following = next(start + position for position, other in enumerate(model) if other > epoch)
            assert log.end_offset_for(epoch, end) == (known, following)
