import copyreg
import io
import pickle

import numpy as np
import pytest

from chainer_fast.serializers._pickled_none import is_pickled_none, write_none

# The array of None as it stands in files of other writers.
PYTHON_3_NUMPY_1 = (
    b'\x80\x03cnumpy.core.multiarray\n_reconstruct\nq\x00cnumpy\nndarray\nq\x01K\x00'
    b'\x85q\x02C\x01bq\x03\x87q\x04Rq\x05(K\x01)cnumpy\ndtype\nq\x06X\x02\x00\x00\x00O8'
    b'q\x07\x89\x88\x87q\x08Rq\t(K\x03X\x01\x00\x00\x00|q\nNNNJ\xff\xff\xff\xffJ\xff'
    b'\xff\xff\xffK?tq\x0bb\x89]q\x0cNatq\rb.')
PYTHON_2 = (
    b'\x80\x02cnumpy.core.multiarray\n_reconstruct\nq\x01cnumpy\nndarray\nq\x02K\x00'
    b'\x85U\x01b\x87Rq\x03(K\x01)cnumpy\ndtype\nq\x04U\x02O8K\x00K\x01\x87Rq\x05(K\x03U'
    b'\x01|NNNJ\xff\xff\xff\xffJ\xff\xff\xff\xffK?tb\x89]q\x06Natb.')


@pytest.mark.parametrize('pickled', [PYTHON_3_NUMPY_1, PYTHON_2])
def test_other_writers(pickled):
    assert is_pickled_none(pickled)
    assert pickle.loads(pickled)[()] is None


@pytest.mark.parametrize('protocol', [2, 3, 4, 5])
def test_this_writer(protocol):
    assert is_pickled_none(pickle.dumps(np.array(None), protocol))


@pytest.mark.parametrize('protocol', [0, 2, 3, 4])
@pytest.mark.parametrize('other', [
    None, [None], np.array([None]), np.array(1, object), np.array('x', object),
    np.array({}), np.array([None, 1], object), np.array(1.), np.dtype('O'), print])
def test_other_objects(other, protocol):
    assert not is_pickled_none(pickle.dumps(other, protocol))


def test_nothing_is_called():
    class Trap:
        def __reduce__(self):
            return print, ('caught',)

    for trap in (Trap(), np.array(Trap(), object)):
        assert not is_pickled_none(pickle.dumps(trap))
    assert not is_pickled_none(b"cbuiltins\nexit\n(tR.")


def test_nothing_is_called_by_extension_code(capsys):
    copyreg.add_extension('builtins', 'print', 0xf0)
    call = b'\x82\xf0)R.'
    try:
        pickle.loads(call)      # leaves the function in a cache
        assert capsys.readouterr().out
        assert not is_pickled_none(call)
        assert not capsys.readouterr().out
    finally:
        copyreg.remove_extension('builtins', 'print', 0xf0)


@pytest.mark.parametrize('at', range(len(PYTHON_3_NUMPY_1)))
def test_changed_byte(at):
    changed = bytearray(PYTHON_3_NUMPY_1)
    for byte in range(256):
        changed[at] = byte
        is_pickled_none(bytes(changed))     # does not raise


@pytest.mark.parametrize('cut', range(0, len(PYTHON_3_NUMPY_1), 7))
def test_damaged(cut):
    assert not is_pickled_none(PYTHON_3_NUMPY_1[:cut])
    assert not is_pickled_none(PYTHON_3_NUMPY_1[cut + 1:])


def test_write_none():
    file = io.BytesIO()
    write_none(file)
    assert file.getvalue().endswith(PYTHON_3_NUMPY_1)
    file.seek(0)
    assert np.load(file, allow_pickle=True)[()] is None
