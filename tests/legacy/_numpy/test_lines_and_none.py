"""Text that is read by lines, and arrays that are compared with None."""
import numpy as np
import pytest


def test_lines(enable, load, used, tmp_path):
    enable('numpy')
    (tmp_path / 'labels.txt').write_text('tabby, tabby cat\nbox turtle\ncrane\n')
    (tmp_path / 'numbers.txt').write_text('1 # one\n2.5\n')
    module = load('''
import numpy as np
labels = np.loadtxt(%r, str, delimiter="\\n")
numbers = np.loadtxt(%r, delimiter="\\n")
''' % (str(tmp_path / 'labels.txt'), str(tmp_path / 'numbers.txt')))
    assert module.labels.tolist() == ['tabby, tabby cat', 'box turtle', 'crane']
    assert module.numbers.tolist() == [1, 2.5]
    assert used() == {"numpy.loadtxt(delimiter='\\n')": 2}


COMPARED = '''
import numpy as np
def compare(a):
    return a == None, a != None
results = compare(np.zeros(3))
objects = compare(np.array([None, 1], object))
others = [compare(x) for x in (None, 0, [None])]
if not np.zeros(2) == None:
    reached = True
'''


def test_none(enable, load, used):
    enable('numpy')
    module = load(COMPARED)
    assert module.results == (False, True)
    assert module.objects[0].tolist() == [True, False]
    assert module.objects[1].tolist() == [False, True]
    assert module.others == [(True, False), (False, True), (False, True)]
    assert module.reached
    assert used() == {'numpy.ndarray == None': 3}


def test_none_unless_named(enable, load):
    """Today an array answers for each element."""
    enable()
    with pytest.raises(ValueError, match='ambiguous'):
        load(COMPARED)
    module = load(COMPARED.partition('if not')[0])
    assert module.results[1].tolist() == np.ones(3, bool).tolist()
