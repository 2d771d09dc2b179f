"""Denormal numbers are kept, unless a program asks for zeros."""
import subprocess
import sys
import threading

import numpy as np
import pytest

import chainer_fast as chainer
import chainer_fast.functions as F
from chainer_fast._cpu import shared

TINY = {'f': 1e-38, 'd': 2e-308}


@pytest.fixture(autouse=True)
def restored():
    before = shared.set_flush(False)
    yield
    shared.set_flush(before)


def halves_of(dtype, n=4):
    """Half of a small number, in a loop over so many elements."""
    return chainer.Variable(np.full(n, TINY[dtype], dtype)) * .5


@pytest.mark.parametrize('dtype', 'fd')
def test_zeros_are_taken_while_it_is_set(dtype):
    assert (halves_of(dtype).array > 0).all()
    assert chainer.set_flush_denormal(True)
    assert (halves_of(dtype).array == 0).all()
    # An operand is taken for zero as well.
    chainer.set_flush_denormal(False)
    denormals = halves_of(dtype)
    chainer.set_flush_denormal(True)
    assert ((denormals * 1e9).array == 0).all()
    assert chainer.set_flush_denormal(False)
    assert (halves_of(dtype).array > 0).all()


def test_context_restores_what_was_set():
    with chainer.set_flush_denormal(True) as found:
        assert found
        with chainer.set_flush_denormal(False):
            assert (halves_of('f').array > 0).all()
        assert (halves_of('f').array == 0).all()
        with pytest.raises(KeyError), chainer.set_flush_denormal(False):
            raise KeyError
        assert (halves_of('f').array == 0).all()
    assert (halves_of('f').array > 0).all()


def test_result_is_true():
    found = chainer.set_flush_denormal(False)
    assert found == True and repr(found) == str(found) == 'True'    # noqa: E712


def test_threads_that_share_a_loop_do_as_the_caller():
    n = 1 << 22
    with chainer.using_config('num_threads', 4):
        for _ in range(20):
            with chainer.set_flush_denormal(True):
                assert (halves_of('f', n).array == 0).all()
            assert (halves_of('f', n).array > 0).all()


def test_other_threads():
    seen = []

    def note():
        seen.append((halves_of('f').array == 0).all())

    wait = threading.Event()
    early = threading.Thread(target=lambda: (wait.wait(60), note()))
    early.start()
    with chainer.set_flush_denormal(True):
        late = threading.Thread(target=note)
        late.start()
        late.join()
        wait.set()
        early.join()
    assert seen == [True, False]


def test_gradients_of_a_deep_chain():
    def gradient():
        x = chainer.Variable(np.ones(8, 'f'))
        y = x
        for _ in range(140):
            y = y * np.float32(.5)
        F.sum(y).backward()
        return x.grad

    assert (gradient() > 0).all()
    with chainer.set_flush_denormal(True):
        assert (gradient() == 0).all()


def test_numpy_does_not_warn():
    code = ('import chainer_fast; chainer_fast.set_flush_denormal(True); '
            'import numpy; [numpy.finfo(each) for each in "efd"]')
    subprocess.run([sys.executable, '-W', 'error', '-c', code], check=True)
