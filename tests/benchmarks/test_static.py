"""Benchmarks of static chains compute the same as without the decorator."""
import numpy as np
import pytest

import chainer_fast
from benchmarks import compare

MODELS = [key.partition('.')[2] for key in compare.GROUPS['static'].TITLES
          if not key.endswith(':plain')]


@pytest.mark.parametrize('model', MODELS)
def test_static_and_plain(model):
    static, plain = (
        compare.GROUPS['static'].chainer_step(chainer_fast, key).check()
        for key in ('SG.' + model, 'SG.%s:plain' % model))
    for a, b in zip(static, plain, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
