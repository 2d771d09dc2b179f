"""%load_ext chainer_fast."""
import pytest

from tests.compat import processes

pytest.importorskip('IPython')

CELLS = '''
%load_ext chainer_fast
import chainer, chainermn, chainerx, onnx_chainer
import chainer.functions as F
import chainer_fast
assert chainer is chainer_fast and F is chainer_fast.functions
assert chainerx.is_available()
%load_ext chainer_fast
%reload_ext chainer_fast
assert chainer.links is chainer_fast.links
%unload_ext chainer_fast
import sys
assert not [n for n in sys.modules if n.split('.')[0] in (
    'chainer', 'chainermn', 'chainerx', 'onnx_chainer')]
import chainer
print(chainer.__version__)
'''


def test_load_and_unload(tmp_path):
    other = tmp_path / 'chainer'
    other.mkdir()
    (other / '__init__.py').write_text('__version__ = "the other"')
    printed = processes.run(
        '-m', 'IPython', '--no-banner', '--colors=nocolor', '--quick', '-c', CELLS,
        path=[tmp_path], env={'IPYTHONDIR': str(tmp_path / 'ipython')})
    assert printed.splitlines()[-1] == 'the other'
    assert 'Error' not in printed


def test_another_chainer_was_imported_before(tmp_path):
    (tmp_path / 'chainer.py').touch()
    printed = processes.run(
        '-m', 'IPython', '--no-banner', '--colors=nocolor', '--quick', '-c',
        'import chainer\ntry:\n    %load_ext chainer_fast\n'
        'except RuntimeError as e:\n    print(e)',
        path=[tmp_path], env={'IPYTHONDIR': str(tmp_path / 'ipython')})
    assert 'another chainer has been imported' in printed
