"""Pickles that Python 2 wrote."""
import io
import pickle

import numpy as np
import pytest

from chainer_fast import legacy

# What pickle of Python 2.7 and NumPy 1.16 wrote of [numpy.array([1., 200.]), '\xe9'].
OLD = (b"(lp0\ncnumpy.core.multiarray\n_reconstruct\np1\n(cnumpy\nndarray\np2\n(I0\ntp3"
       b"\nS'b'\np4\ntp5\nRp6\n(I1\n(I2\ntp7\ncnumpy\ndtype\np8\n(S'f8'\np9\nI0\nI1\n"
       b"tp10\nRp11\n(I3\nS'<'\np12\nNNNI-1\nI-1\nI0\ntp13\nbI00\nS'\\x00\\x00\\x00"
       b"\\x00\\x00\\x00\\xf0?\\x00\\x00\\x00\\x00\\x00\\x00i@'\np14\ntp15\nbaS'\\xe9'"
       b"\np16\na.")


@pytest.fixture(autouse=True)
def disabled():
    yield
    legacy.disable()


@pytest.mark.filterwarnings('ignore:numpy.core is deprecated:DeprecationWarning')
@pytest.mark.parametrize('head', [
    'import pickle',
    # As six.moves.cPickle does it
    'import importlib\npickle = importlib.import_module("pickle")',
    'import cPickle as pickle', 'try:\n    import cPickle as pickle\n'
    'except ImportError:\n    import pickle'])
def test_text_of_python_2(load, used, tmp_path, head):
    (tmp_path / 'old.pkl').write_bytes(b'head' + OLD)
    with pytest.raises(UnicodeDecodeError):
        pickle.loads(OLD)
    legacy.enable()
    module = load(head + '''
def read(path, mode):
    with open(path, mode) as f:
        f.read(4)
        return pickle.load(f)
''')
    array, text = module.read(tmp_path / 'old.pkl', 'rb')
    assert array.tolist() == [1, 200] and text == '\xe9'
    assert used()['pickle.load of text of Python 2'] == 1
    array, _ = module.pickle.loads(OLD)
    assert array.tolist() == [1, 200]


@pytest.mark.filterwarnings('ignore:numpy.core is deprecated:DeprecationWarning')
def test_unpickler_of_text_of_python_2(load):
    legacy.enable('python3')
    module = load('import pickle\ndef read(f): return pickle.Unpickler(f).load()\n')
    array, text = module.read(io.BytesIO(OLD))
    assert array.tolist() == [1, 200] and text == '\xe9'


@pytest.mark.filterwarnings('ignore:numpy.core is deprecated:DeprecationWarning')
def test_file_that_cannot_be_read_twice(load):
    legacy.enable()

    class Stream(io.BytesIO):

        def tell(self):
            raise OSError('no')

    module = load('import pickle\ndef read(f): return pickle.load(f)\n')
    array, text = module.read(Stream(OLD))
    assert array.tolist() == [1, 200] and text == '\xe9'


def test_files_of_text(load, used, tmp_path):
    legacy.enable()
    module = load("""import pickle
def write(path, value):
    with open(path, 'w') as f:
        f.write('')
        pickle.dump(value, f)
def read(path):
    with open(path) as f:
        return pickle.load(f)
""")
    module.write(tmp_path / 'a.pkl', {'a': np.arange(2)})
    assert module.read(tmp_path / 'a.pkl')['a'].tolist() == [0, 1]
    assert used() == {'pickle in a file of text': 2}


def test_libraries_of_today_see_the_functions_of_today():
    legacy.enable()
    of_today = {'__name__': 'sklearn.utils', 'pickle': pickle, 'OLD': OLD, 'io': io}
    for code in ('pickle.loads(OLD)', 'pickle.load(io.BytesIO(OLD))'):
        with pytest.raises(UnicodeDecodeError):
            eval(code, of_today)


def test_what_is_said_is_heeded(load):
    legacy.enable()
    module = load('import pickle\n'
                  'def read(data, **how): return pickle.loads(data, **how)\n')
    assert module.read(b"S'\\xe9'\np0\n.", encoding='bytes') == b'\xe9'
    with pytest.raises(UnicodeDecodeError):
        module.read(OLD, encoding='ascii')
