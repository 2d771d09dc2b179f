"""Helpers for tests of worker processes."""
import contextlib
import gc
import multiprocessing
import os
import subprocess
import sys
import time

import pytest

import chainer_fast


def start_program(path, *options, **kwargs):
    """Start a Python script that can import the package."""
    root = os.path.dirname(os.path.dirname(chainer_fast.__file__))
    paths = os.pathsep.join([root, os.environ.get('PYTHONPATH', '')])
    return subprocess.Popen(
        [sys.executable, *options, path], stdout=subprocess.PIPE,
        env=dict(os.environ, PYTHONPATH=paths), **kwargs)


def wait_for(condition, seconds=5):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, 'it takes too long'
        time.sleep(.01)


def is_running(pid):
    try:
        with open('/proc/%d/stat' % pid) as f:
            return f.read().rsplit(')', 1)[1].split()[0] != 'Z'
    except OSError:
        return False


@contextlib.contextmanager
def forked_workers():
    """Have workers forked, which Python 3.14 does only if it is told to.

    A system without forks spawns them.
    """
    if 'fork' not in multiprocessing.get_all_start_methods():
        yield
        return
    method = multiprocessing.get_start_method(allow_none=True)
    multiprocessing.set_start_method('fork', force=True)
    try:
        yield
    finally:
        multiprocessing.set_start_method(method, force=True)


@pytest.fixture
def nothing_is_left():
    """See that workers leave nothing behind; servers are processes that stay."""
    is_linux = sys.platform == 'linux'  # Wine shows this folder, and cannot read it

    def descriptors():
        return is_linux and sorted(
            name for name in map(os.readlink, map('/proc/self/fd/{}'.format, (
                fd for fd in os.listdir('/proc/self/fd')
                if os.path.lexists('/proc/self/fd/' + fd))))
            if 'memfd' in name or 'socket' in name)

    def mappings():
        if not is_linux:
            return 0
        with open('/proc/self/maps') as f:
            return sum('memfd:examples' in line for line in f)

    gc.collect()
    before = descriptors(), mappings()
    assert not multiprocessing.active_children()
    with forked_workers():
        yield
    assert not multiprocessing.active_children()
    if multiprocessing.get_start_method() == 'fork':    # others have helpers
        with pytest.raises(ChildProcessError):  # zombies would be found
            os.waitpid(-1, os.WNOHANG)
    left = descriptors(), mappings()
    assert left == before, (left, before)
