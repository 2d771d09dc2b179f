"""Memory that a graph takes, and memory that is freed and taken again."""
import os
import subprocess
import sys

import pytest

from chainer_fast._core.graphs import graph

SCRIPT = '''
import resource
import numpy as np
import chainer_fast

def step():
    arrays = [np.ones(1 << 20, np.float32) for _ in range(8)]

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

step(), step()
before = faults()
for _ in range(10):
    step()
print(faults() - before)
'''


def faults(**settings):
    """Return the page faults of ten times 32 MiB."""
    environment = {name: value for name, value in os.environ.items()
                   if not name.startswith('MALLOC') and name != 'GLIBC_TUNABLES'}
    return int(subprocess.run(
        [sys.executable, '-c', SCRIPT], env={**environment, **settings}, check=True,
        capture_output=True, text=True).stdout)


pytestmark = pytest.mark.skipif(
    sys.platform != 'linux' or 'libasan' in os.environ.get('LD_PRELOAD', ''),
    reason='needs the memory of the C library of Linux')


def test_freed_memory_is_not_given_back_at_once():
    assert faults() < 1000


def test_settings_of_the_user_stay():
    assert faults(MALLOC_TRIM_THRESHOLD_='131072', MALLOC_MMAP_THRESHOLD_='131072',
                  MALLOC_TOP_PAD_='0') > 1000


@pytest.mark.skipif(sys.maxsize < 1 << 32, reason='for pointers of eight bytes')
@pytest.mark.parametrize('name, size', [
    ('FunctionBase', 96), ('VariableNodeBase', 96), ('VariableBase', 120)])
def test_objects_of_a_graph_do_not_grow(name, size):
    assert getattr(graph, name).__basicsize__ <= size
