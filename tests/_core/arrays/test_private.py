"""What is private to CPython and NumPy is in one header."""
import pathlib
import re

import numpy as np

import chainer_fast as chainer

PACKAGE = pathlib.Path(chainer.__file__).parent
HEADER = PACKAGE / '_core' / 'arrays' / 'private.hpp'
SOURCES = [path for ending in ('pyx', 'pxd', 'pxi', 'hpp', 'cc')
           for path in PACKAGE.rglob('*.' + ending) if path != HEADER]
# Functions and fields that CPython does not document, or whose meaning it may change,
# and the insides of NumPy's functions, types and generators.
PRIVATE = re.compile(
    r'\b(_Py\w+|tp_(?!new\b)\w+|ob_(refcnt|type)|ma_\w+|Py_REFCNT|PyWeakref_GetObject|PyUFuncObject'
    r'|ArrFuncs|bitgen_t|PyType_HasFeature)\b')


def without_comments(text):
    return re.sub(r'/\*.*?\*/|//[^\n]*|#[^\n]*', '', text, flags=re.S)


def test_the_header_has_what_is_looked_for():
    assert len(set(PRIVATE.findall(HEADER.read_text()))) > 5


def test_only_the_header_uses_what_is_private():
    found = {str(path): PRIVATE.search(without_comments(path.read_text()))
             for path in SOURCES}
    assert len(found) > 100
    assert [item for item in found.items() if item[1]] == []


def test_a_link_is_made_by_object():
    """As pickles of the oldest protocols do."""
    link = object.__new__(chainer.links.Linear)
    assert type(link) is chainer.links.Linear


def test_flags_of_classes_are_found_in_their_bases():
    class Mixin:
        assigned = []

        def __setattr__(self, name, value):
            self.assigned.append(name)
            super().__setattr__(name, value)

    class Mixed(chainer.Chain, Mixin):
        pass

    link = Mixed()
    link.x = 1
    assert 'x' in Mixin.assigned and link.x == 1


def test_a_class_that_changes_is_walked_anew():
    class Model(chainer.Chain):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.inner = Inner()

    class Inner(chainer.Link):
        def __init__(self):
            super().__init__()
            with self.init_scope():
                self.w = chainer.Parameter(np.zeros(2, np.float32))

    model = Model()
    for _ in range(3):
        assert len(list(model.params())) == 1
    Inner.params = lambda self, include_uninit=True: iter(())
    assert list(model.params()) == []
    del Inner.params
    assert len(list(model.params())) == 1
