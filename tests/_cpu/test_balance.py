"""Whether loops learn that the help of other threads is worth it: on invented times."""
import ctypes
import pathlib
import sysconfig

import numpy as np
import pytest

import chainer_fast
from tests import compiled

CODE = """
#include "chainer_fast/_cpu/balance.hpp"
using namespace chainer_fast;

/* Loops of these parts, one after the other, of which each takes `alone` or `helped`
 * nanoseconds; writes who was asked for help. */
extern "C" void simulate(int loops, const float *parts, const float *alone,
                         const float *helped, int calls, char *asked) {
    Experience experience = {};
    SharedLoop loop = {};
    loop.experience = &experience;
    for (int i = 0; i < calls; ++i) {
        loop.parts = parts[i % loops];
        asked[i] = wants_help(experience);
        learn(loop, asked[i] ? Way::HELPED : Way::ALONE,
              (asked[i] ? helped : alone)[i % loops]);
    }
}

/* A loop that takes `alone` or `helped` nanoseconds, or `woken` if helpers have had
 * nothing to do for so long that they sleep; between two calls, `gap` nanoseconds
 * pass. */
extern "C" void simulate_sleep(float alone, float helped, float woken, float gap,
                               int calls, char *asked) {
    Experience experience = {};
    SharedLoop loop = {};
    loop.experience = &experience;
    loop.parts = 4;
    Demand demand;
    double now = 1e9, sleep = 0;
    for (int i = 0; i < calls; ++i) {
        const bool awake = now < sleep;
        asked[i] = wants_help(experience)
            && (awake || demand.wakes(loop, (int64_t)now));
        const Way way = !asked[i] ? Way::ALONE
            : awake ? Way::HELPED : Way::HELPED_FROM_SLEEP;
        const float took = !asked[i] ? alone : awake ? helped : woken;
        learn(loop, way, (int64_t)took);
        now += took;
        if (asked[i])
            sleep = now + Demand::LOOKS_OUT;
        now += gap;
    }
}
"""


@pytest.fixture(scope='module')
def library(tmp_path_factory):
    root = pathlib.Path(chainer_fast.__file__).parent.parent
    return compiled.library(
        tmp_path_factory.mktemp('balance'), CODE, '-std=c++17', '-Wno-unused-function',
        '-I', root, '-I', sysconfig.get_paths()['include'])


@pytest.fixture
def simulate(library):
    """Return a function that reports which of many calls in turns ask for help."""
    def simulate(parts, alone, helped, calls=4000):
        arrays = [np.asarray(x, 'f') for x in (parts, alone, helped)]
        asked = np.zeros(calls, bool)
        library.simulate(
            ctypes.c_int(len(parts)), *[x.ctypes.data_as(ctypes.c_void_p)
                                        for x in arrays],
            ctypes.c_int(calls), asked.ctypes.data_as(ctypes.c_void_p))
        return asked
    return simulate


@pytest.mark.parametrize('loops', [1, 2, 3, 7, 8, 16, 31, 32, 64])
@pytest.mark.parametrize('gain', [1.2, 1.9])
def test_loops_of_a_model_that_differ(simulate, loops, gain):
    # One of them takes less for each part than the others do with help.
    alone = np.full(loops, 1000.)
    alone[0] = 200
    asked = simulate(np.ones(loops), alone, alone / gain)
    assert asked[1000:].mean() > .94
    asked = simulate(np.ones(loops), alone, alone * gain)
    assert asked[1000:].mean() < .06


@pytest.mark.parametrize('loops', [2, 8, 32])
def test_loops_of_other_lengths(simulate, loops):
    parts = np.linspace(8, 15, loops)
    asked = simulate(parts, 1000 * parts, 800 * parts)
    assert asked[1000:].mean() > .95


@pytest.mark.parametrize('gain, most', [(1.01, 1 / 28), (4, 1 / 200)])
def test_the_slower_way_is_tried_now_and_then(simulate, gain, most):
    tried = ~simulate([1], [1000 * gain], [1000], 20000)
    assert 0 < tried[100:].mean() < most
    assert np.diff(np.flatnonzero(tried)).max() < 1000


@pytest.mark.parametrize('alone, helped, woken, gap, least, most', [
    # Saves time once helpers are awake, although the first calls do not.
    (100, 60, 130, 20, .9, 1),
    (20, 12, 30, 50, .9, 1),
    # Between two calls, helpers fall asleep: a long loop wakes them, a short one not.
    (1000, 600, 650, 5000, .9, 1),
    (20, 12, 30, 5000, 0, .1),
    # Help never pays.
    (20, 25, 40, 20, 0, .1)])
def test_helpers_that_sleep_are_woken_if_that_pays(
        library, alone, helped, woken, gap, least, most):
    calls = 2000
    asked = np.zeros(calls, bool)
    library.simulate_sleep(
        *[ctypes.c_float(1000 * microseconds)
          for microseconds in (alone, helped, woken, gap)],
        ctypes.c_int(calls), asked.ctypes.data_as(ctypes.c_void_p))
    assert least <= asked[200:].mean() <= most
