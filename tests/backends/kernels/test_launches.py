"""Steps keep to their budgets of launches, and the host does not wait."""
import pytest

from tests.backends.kernels import budgets
from tests.backends.kernels.budgets import BUDGETS, Inputs, count


def overrun(record, budget):
    """Say what was too much."""
    host = [*record.synchronisations, *record.to_host, *record.to_device]
    if len(record.launches) > budget or host:
        return '%d launches of %d: %s; on the host: %s' % (
            len(record.launches), budget, record.launches, host)
    return None


@pytest.mark.gpu
@pytest.mark.parametrize('name, step, forward, backward', BUDGETS,
                         ids=[row[0] for row in BUDGETS])
def test_budget(device, name, step, forward, backward):
    count(step, Inputs(device, 'f'))    # the first call also compiles
    records = count(step, Inputs(device, 'f'))
    assert [overrun(*pair) for pair in zip(
        records, (forward, backward), strict=True)] == [None, None]


@pytest.mark.gpu
@pytest.mark.parametrize('name, step, backward', [
    (name, step, backward) for name, step, _, backward in BUDGETS if backward],
    ids=[row[0] for row in BUDGETS if row[3]])
def test_budget_of_the_gradients_of_sums(device, name, step, backward):
    count(step, Inputs(device, 'f'), of_sums=True)
    _, record = count(step, Inputs(device, 'f'), of_sums=True)
    assert overrun(record, backward + budgets.COPIES.get(name, 1)) is None


@pytest.mark.gpu
@pytest.mark.parametrize('name, step', [
    row[:2] for family in (
        budgets.ACTIVATIONS, budgets.NOISE, budgets.ARITHMETIC, budgets.LOSSES,
        budgets.LOOK_UPS, budgets.EVALUATION)
    for row in family])
def test_the_host_does_not_wait_for_half_floats(device, name, step):
    for record in count(step, Inputs(device, 'e')):
        # Conversions come on top of the launches of single precision.
        assert overrun(record, len(record.launches)) is None
