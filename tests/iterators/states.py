"""States of iterators, for comparison in tests."""


def state_of(it):
    """Return where an iterator is."""
    return (it.epoch, it.is_new_epoch, it.current_position, it.epoch_detail,
            it.previous_epoch_detail)
