"""Find kernels of chainer_fast that a run of tests has not compiled.

It compares the calls in the sources that make kernels with the kernels that a run of
tests on the stand-in for CuPy has recorded::

    HOST_CUPY_INSTANCES=build/kernels.json pytest -m gpu tests
    python tests/device_code/missing.py build/kernels.json

The calls are those of ``cuda.elementwise``, ``cuda.reduce``, ``cuda.raw`` and
``device_form``; where such a call gets its code from the arguments of the function that
it is in, they are the calls of that function.
"""
import ast
import json
import pathlib
import sys

PACKAGE = pathlib.Path(__file__).parents[2] / 'chainer_fast'
MAKERS = {'cuda.elementwise', 'cuda.reduce', 'cuda.raw', 'device_form'}


def _called(node):
    """Return what a call calls, such as ``'cuda.raw'``, or an empty string."""
    function = node.func
    if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
        return '%s.%s' % (function.value.id, function.attr)
    return function.id if isinstance(function, ast.Name) else ''


def _passes_arguments(call, function):
    """Whether a call gets its code from the arguments of the function it is in."""
    arguments = function.args
    names = {arg.arg for arg in [*arguments.args, *arguments.kwonlyargs]}
    names |= {arg.arg for arg in (arguments.vararg, arguments.kwarg) if arg}
    return any(isinstance(arg, ast.Name) and arg.id in names for arg in call.args[:3])


def _site(call, is_form):
    """Return (first line, last line, name) of a call.

    The name is that of the kernel for ``device_form``, which does not make it yet, and
    otherwise None.
    """
    texts = [arg.value for arg in call.args
             if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    return (call.lineno, call.end_lineno,
            texts[0].replace('::', '_') if is_form else None)


def calls_in(source):
    """Return :func:`_site` of all calls in a source that make kernels."""
    tree = ast.parse(source)
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call)]
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    found, done = [], set()
    makers = {name: name == 'device_form' for name in MAKERS}
    while makers.keys() - done:
        maker = sorted(makers.keys() - done)[0]
        done.add(maker)
        for call in calls:
            if _called(call) != maker:
                continue
            # The innermost function around it comes last.
            around = [f for f in functions if f.lineno <= call.lineno <= f.end_lineno]
            inner = max(around, key=lambda f: f.lineno, default=None)
            if inner is not None and _passes_arguments(call, inner):
                makers[inner.name] = makers[maker]
            else:
                found.append(_site(call, makers[maker]))
    return found


def missing(kernels, package=PACKAGE):
    """Return the calls in a package that have made none of the recorded kernels.

    Parameters
    ----------
    kernels : iterable of dict
        As in the file of recorded kernels.
    package : pathlib.Path
        Folder of the sources.

    Returns
    -------
    list of str
        ``'file:line'`` of each, with the name if it is known.
    """
    names, lines = set(), set()
    for kernel in kernels:
        names.add(kernel['init']['name'])
        for place in kernel['made_at'] or ():
            path, _, line = place.rpartition(':')
            lines.add((path, int(line)))
    out = []
    for path in sorted(package.rglob('*.py')):
        relative = str(path.relative_to(package))
        for first, last, name in calls_in(path.read_text()):
            if name is not None:
                compiled = name in names
            else:
                compiled = any((relative, line) in lines
                               for line in range(first, last + 1))
            if not compiled:
                out.append('%s:%d%s' % (relative, first, ' ' + name if name else ''))
    return out


def main():
    """Print the calls whose kernels are missing; return 1 if there are some."""
    with open(sys.argv[1]) as file:
        kernels = [json.loads(line) for line in file]
    absent = missing(kernels)
    for place in absent:
        print('NOT COMPILED by any test on the stand-in: %s' % place)
    total = sum(len(calls_in(path.read_text())) for path in PACKAGE.rglob('*.py'))
    print('%d of %d calls that make kernels have been reached' % (
        total - len(absent), total))
    return 1 if absent else 0


if __name__ == '__main__':
    sys.exit(main())
