import io

import numpy

import chainer_fast
from chainer_fast import _runtime_info
from chainer_fast._help import installation


def test_report():
    info = _runtime_info._get_runtime_info()
    lines = str(info).splitlines()
    assert [line.split(':')[0] for line in lines if line[0] != ' '] == [
        'Platform', 'Chainer', 'chainer_fast', 'ChainerX', 'NumPy', 'CuPy', 'iDeep']
    assert lines[1] == 'Chainer: ' + chainer_fast.__version__ == 'Chainer: 7.8.1'
    assert lines[2] == 'chainer_fast: ' + installation.version()
    assert 'NumPy: ' + numpy.__version__ in lines
    assert str(info).endswith('\n')


def test_print(capsys):
    out = io.StringIO()
    chainer_fast.print_runtime_info(out)
    assert out.getvalue() == str(_runtime_info._get_runtime_info())
    chainer_fast.print_runtime_info()
    assert capsys.readouterr().out == out.getvalue()
