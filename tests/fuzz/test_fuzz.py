"""Arrays that change in the middle of a computation never end the process.

``CHAINER_FAST_FUZZ_CALLS`` sets the number of calls of each kind, and
``CHAINER_FAST_FUZZ_SEED`` the first seed.
"""
import pytest

from chainer_fast._core.graphs import graph
from tests import forced, programs
from tests.fuzz import forms, graphs, runs


@pytest.mark.parametrize('kind,calls', [
    ('graphs', 2000), ('forms', 1500), ('updates', 200), ('chains', 100),
    ('hooks', 2000)])
def test_arrays_that_change(kind, calls, capsys, record_property):
    made, faults = runs.run(kind, calls)
    record_property('calls', made)
    with capsys.disabled():
        print('\n%d calls of %s, %d faults' % (made, kind, len(faults)))
    assert not faults, '\n'.join(faults)


def test_programs_reach_every_kernel():
    assert set(forms.record()) == set(graphs.KERNELS)


def test_programs_reach_every_shortcut():
    # Those that only static chains take, and only gradients of gradients.
    reached = set()
    for i, name in enumerate(programs.MAKERS):
        for seed in range(6):
            reached |= graphs.classes_of(16 * i + seed, name)
    declared = {cls for cls in graph.classes_with_shortcuts()
                if cls.__module__.startswith('chainer_fast.')}
    assert {cls.__name__ for cls in declared - reached} <= {'PlanRun', 'GraphLaunch'}


def test_the_general_way_is_another_one():
    forms_before = [each.compiled for each in graphs.KERNELS.values()]
    with graphs.general_way():
        assert not any(each.compiled for each in graphs.KERNELS.values())
    assert [each.compiled for each in graphs.KERNELS.values()] == forms_before
    assert forced.GENERAL or any(forms_before)
