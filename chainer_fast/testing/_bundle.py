"""Several test cases made of one class.

Decorators such as ``parameterize`` turn a class into a family of classes, and put them
into the module of the class, where test runners find them. Under the name of the class
they leave a bundle, so that these decorators can be stacked.
"""
import inspect
import sys
import types
from typing import NamedTuple


class _TestCaseTuple(NamedTuple):
    klass: type
    module_name: str
    class_name: str


class _ParameterizedTestCaseBundle:
    """Test cases made by a decorator: a list of ``_TestCaseTuple``."""

    def __init__(self, cases):
        self.cases = cases


def make_decorator(test_case_generator):
    """Return a decorator of test cases.

    Parameters
    ----------
    test_case_generator : callable
        Takes a class and yields triples, one for each class to make: the name, a dict
        of attributes, and a function that takes a test method and returns its
        replacement, a function or ``None``.

    Returns
    -------
    function
        The decorator, which takes a class or a bundle, and returns a bundle.
    """
    def decorate(decorated):
        parents = cases_of(decorated)
        if parents is None:
            parents = [_TestCaseTuple(
                decorated, decorated.__module__, decorated.__name__)]
        else:
            for case in parents:
                # Its children replace it.
                vars(sys.modules[case.module_name]).pop(case.class_name, None)
        return _ParameterizedTestCaseBundle([
            case for parent in parents
            for case in _derive(parent, test_case_generator(parent.klass))])

    return decorate


def cases_of(decorated):
    """Return the test cases of a bundle, or ``None`` for a class.

    Raises
    ------
    TypeError
        If it is neither.
    """
    if isinstance(decorated, _ParameterizedTestCaseBundle):
        return decorated.cases
    if isinstance(decorated, type):
        return None
    raise TypeError('expected a test case, which is a class, not %r' % (decorated,))


def _derive(parent, descriptions):
    """Yield the described cases, whose classes inherit the parent's."""
    module = sys.modules[parent.module_name]
    for name, members, convert in descriptions:
        namespace = {'__module__': parent.module_name, **members}
        for method_name, method in _test_methods(parent.klass):
            namespace[method_name] = convert(method)
        klass = type(name, (parent.klass,), namespace)
        setattr(module, name, klass)
        yield _TestCaseTuple(klass, parent.module_name, name)


def _test_methods(klass):
    """Return names and functions of the test methods, including inherited ones."""
    found = [(name, inspect.getattr_static(klass, name))
             for name in dir(klass) if name.startswith('test_')]
    return [(n, f) for n, f in found if isinstance(f, types.FunctionType)]
