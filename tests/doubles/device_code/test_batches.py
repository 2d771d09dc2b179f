"""Kernels that are compiled together see nothing of each other."""
import subprocess

import pytest

from tests.doubles.device_code import batches
from tests.doubles.host_cupy import compiler

HEADERS = '#include <math.h>\n\n  #include <stddef.h>\n'
KERNEL = HEADERS + """
#define FACTOR %s
struct Own { %s x; };
extern "C" __global__ void scale(Own* own) { own->x *= FACTOR; }
"""
FLOAT, DOUBLE = KERNEL % ('2.f', 'float'), KERNEL % ('2.', 'double')


def compiles(*sources):
    return subprocess.run(
        [compiler.COMPILER, '-fsyntax-only', '-xc++', '-D__global__=', '-'],
        input=batches.together(sources), text=True, capture_output=True).returncode == 0


@pytest.mark.skipif(not compiler.COMPILER, reason='needs a compiler of C++')
@pytest.mark.parametrize('sources, accepted', [
    ([FLOAT, DOUBLE, FLOAT], True),
    ([FLOAT, HEADERS + 'double half(double x) { return fabs(x) / FACTOR; }'], False),
    ([FLOAT, HEADERS + 'float of(Own own) { return own.x; }'], False),
    ([FLOAT, HEADERS + 'double half(double x) { return fabs(x) / 2; }'], True),
])
def test_together(sources, accepted):
    assert compiles(*sources) is accepted


def test_batches_share_headers_and_options():
    jobs = [(FLOAT, (), None), (FLOAT + ' ', ('-DN=1',), None), (DOUBLE, (), None),
            ('#include <math.h>\n', (), None), (FLOAT + '  ', (), ('scale',))]
    assert batches.batches_of(jobs) == [
        [jobs[0], jobs[2]], [jobs[1]], [jobs[3]], [jobs[4]]]
    many = [(FLOAT + i * ' ', (), None) for i in range(100)]
    found = batches.batches_of(many)
    assert sum(found, []) == many
    assert max(map(len, found)) == batches.SIZE
