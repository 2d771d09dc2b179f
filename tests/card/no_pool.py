"""A plugin of pytest: each array has memory of its own, ``-p tests.card.no_pool``.

compute-sanitizer knows the bounds of what comes from the driver. In a pool, arrays are
parts of one piece, and an access beyond one is in the next one.
"""


def pytest_sessionstart():
    from chainer_fast.backends import cuda
    cuda.cupy.cuda.set_allocator(None)
