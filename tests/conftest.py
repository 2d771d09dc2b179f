"""Configuration of all tests: devices, and where tests of GPUs run.

``pytest -m gpu``, or any expression that asks for the mark ``gpu``, runs these tests on
the GPU if there are one and CuPy, and otherwise on a stand-in for CuPy 14.2, which is
then installed before chainer_fast is imported. ``HOST_CUPY=13.6`` or ``HOST_CUPY=14.2``
in the environment chooses the stand-in and its version in any case. Without the mark
the tests are deselected, and CuPy is what it is on the machine.
"""
import pytest
from _pytest.mark.expression import Expression
from hypothesis import settings

# How long an example takes depends on what else the machine does.
settings.register_profile('chainer_fast', deadline=None)
settings.load_profile('chainer_fast')


def _asks_for_gpu(config):
    text = config.getoption('markexpr')
    if not text:
        return False
    expression = Expression.compile(text)
    with_mark, without = [
        expression.evaluate(lambda name, marks=marks, **kwargs: name in marks)
        for marks in ({'gpu'}, ())]
    return with_mark and not without


def pytest_configure(config):
    if _asks_for_gpu(config):
        from tests import host_cupy
        host_cupy.install_unless_gpu()


def pytest_collection_modifyitems(config, items):
    if _asks_for_gpu(config):
        return
    gpu = [item for item in items if item.get_closest_marker('gpu')]
    if gpu:
        config.hook.pytest_deselected(items=gpu)
        items[:] = [item for item in items if not item.get_closest_marker('gpu')]


@pytest.fixture(params=[
    pytest.param('@numpy', id='numpy'),
    pytest.param('@cupy:0', id='gpu', marks=pytest.mark.gpu)])
def device(request):
    """A device of chainer_fast: the processor, and with ``-m gpu`` the first GPU.

    It has the array module ``xp``, the method ``send()``, which copies an array of NumPy
    to it, and a ``name``.
    """
    import chainer_fast
    return chainer_fast.get_device(request.param)
