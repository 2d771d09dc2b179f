"""Executed when Python starts, in processes that tests start."""
import os

if 'CHAINER_FAST_TESTS_WITHOUT_POSIX' in os.environ:
    import lesser_system
    lesser_system.install(os.environ['CHAINER_FAST_TESTS_WITHOUT_POSIX'])
