"""Modules that Chainer's own imports make reachable as attributes."""
import subprocess
import sys

import pytest


@pytest.mark.parametrize('imported, reached', [
    ('chainer_fast.gradient_check', 'chainer_fast.testing.assert_allclose'),
    ('chainer_fast.exporters', 'chainer_fast.exporters.caffe.export')])
def test_one_import_reaches_another_module(imported, reached):
    subprocess.run(
        [sys.executable, '-c', 'import %s; %s' % (imported, reached)], check=True)


def test_a_missing_exporter():
    from chainer_fast import exporters
    with pytest.raises(AttributeError, match="no attribute 'cafe'"):
        exporters.cafe  # noqa: B018
