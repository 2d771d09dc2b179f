"""Weights whose products plans make by tiles, on most machines."""
import numpy
import pytest

from chainer_fast.graph_optimizations._processor import builders

UNITS = 48

ROWS = 20

SMALL = [numpy.empty(shape, 'f') for shape in ((ROWS, UNITS), (UNITS, UNITS))]

needs_tiles = pytest.mark.skipif(
    not builders.Affine.serves(*SMALL), reason='plans leave such products to BLAS')
