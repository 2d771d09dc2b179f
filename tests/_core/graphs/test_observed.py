"""Shortcuts that a profile watches are those without it but for the watching."""
import struct

import numpy as np
import pytest

from chainer_fast import chainerx as chx
from chainer_fast._core.graphs import graph
from tests._help.command.profile.taken import taken


def ignore(*_):
    pass


@pytest.mark.parametrize('cls', graph.classes_with_shortcuts())
def test_all_that_the_engine_knows_is_shared(cls):
    shortcut, _ = graph.registered(cls)
    watched = graph.ObservedShortcut(shortcut, ignore, ignore)
    assert watched.marks is shortcut.marks


def test_a_shortcut_has_no_other_field():
    """What the engine knows of a shortcut is a field of its traits, never its own.

    A wrapper takes these over as a whole, and forgets a field of a shortcut.
    """
    methods, traits = 2 * [struct.calcsize('P')]
    assert graph.Shortcut.__basicsize__ == object.__basicsize__ + methods + traits


@pytest.mark.filterwarnings('error')
@pytest.mark.parametrize('compute', [
    lambda x: chx.dot(x, x), lambda x: chx.sum(x * 1), lambda x: chx.linear(x, x)])
def test_arrays_of_chainerx_warn_no_more_in_a_profile(compute):
    x = chx.array(np.full((3, 3), 3e38, np.float32)).require_grad()
    plain = compute(x)
    with taken():
        watched = compute(x)
    assert np.isinf(chx.to_numpy(plain)).all()
    np.testing.assert_array_equal(chx.to_numpy(watched), chx.to_numpy(plain))
