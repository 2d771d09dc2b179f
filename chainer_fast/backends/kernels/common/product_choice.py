"""Which products of matrices this package computes faster than BLAS, on this machine.

That is measured once, in some milliseconds, and kept in a file: processes that find the
same file compute the same bits. No error of the file or of its folder may stop a
program, as the file is not required.
"""
import contextlib
import hashlib
import math
import os
import platform
import tempfile
import time

import numpy

VARIABLE = 'CHAINER_FAST_PRODUCTS'
# Rounds of each example, of which the fastest counts.
ROUNDS = 6
# Kinds of products, in the order of `product_kinds.hpp`.
KINDS = (
    'small', 'small, transposed', 'few rows', 'few rows, transposed', 'large',
    'large, transposed', 'weight gradients', 'weight gradients, many rows', 'narrow')
# Properties that distinguish processors, on x86 and on ARM.
_FACTS = ('vendor_id', 'cpu family', 'model', 'model name', 'stepping', 'cache size',
          'flags', 'CPU implementer', 'CPU part', 'CPU variant', 'Features')


def way():
    """Return the value of the environment variable: 'blas', 'tiles' or 'measure'."""
    found = os.environ.get(VARIABLE) or 'measure'
    if found not in ('blas', 'tiles', 'measure'):
        raise ValueError(
            "%s is %r, but it is 'blas' or 'tiles' for all products of matrices in "
            "single precision, or 'measure', as without it, for whichever is faster"
            % (VARIABLE, found))
    return found


def choose(examples, tiled, build):
    """Return the time of BLAS for each kind of products, in units of that of tiles.

    Parameters
    ----------
    examples : sequence of tuple
        Rows, columns, depth of a product of each kind, and whether the left and the
        right operand are transposed matrices.
    tiled : callable
        Writes the product of the first two arrays to the third, by tiles.
    build : tuple
        What the choice depends on in addition to the processor: this build of the
        package, and the code that BLAS has selected.

    Returns
    -------
    list of float
        Zeros and infinities if the environment variable selects one for all
        products.
    """
    if way() != 'measure':
        return [math.inf if way() == 'tiles' else 0.] * len(examples)
    path = _path(build)
    gains = path and _read(path, len(examples))
    if not gains:
        # Rounded as in the file, which other processes read.
        gains = [float('%.2f' % gain) for gain in measure(examples, tiled)]
        if path:
            with contextlib.suppress(OSError):
                gains = _write(path, gains)
    return gains


def measure(examples, tiled):
    """Return the gains of tiles by measurement. See :func:`choose`."""
    gains = []
    for rows, columns, depth, left_turned, right_turned in examples:
        left = _operand(rows, depth, left_turned)
        right = _operand(depth, columns, right_turned)
        out = numpy.empty((rows, columns), numpy.float32)
        best = [math.inf, math.inf]
        for _ in range(ROUNDS):
            for i, multiply in enumerate((numpy.matmul, tiled)):
                start = time.perf_counter()
                multiply(left, right, out)
                best[i] = min(best[i], time.perf_counter() - start)
        gains.append(best[0] / best[1])
    return gains


def _operand(rows, columns, transposed):
    shape = (columns, rows) if transposed else (rows, columns)
    matrix = numpy.full(shape, .5, numpy.float32)
    return matrix.T if transposed else matrix


def _processor():
    """Return properties of the first processor, including its instruction sets."""
    with contextlib.suppress(OSError), open(
            '/proc/cpuinfo', encoding='utf-8', errors='replace') as file:
        # The rest is about other processors, and slow to read on large machines.
        lines = file.read(8192).split('\n\n')[0].splitlines()
        facts = [line for line in lines if line.split(':')[0].strip() in _FACTS]
        if facts:
            return facts
    return [platform.machine(), platform.processor()]


def folder():
    """Return the folder of the file; None if no folder can be used."""
    found = os.environ.get('XDG_CACHE_HOME', '')
    if not os.path.isabs(found):
        found = os.path.expanduser(os.path.join('~', '.cache'))
    return os.path.join(found, 'chainer_fast') if os.path.isabs(found) else None


def _path(build):
    place = folder()
    if place is None:
        return None
    facts = repr((_processor(), numpy.__version__, build))
    return os.path.join(
        place, 'products-' + hashlib.sha256(facts.encode()).hexdigest()[:24])


def _read(path, count):
    """Return the gains in a file; None without one, or if it is damaged."""
    try:
        with open(path, encoding='ascii') as file:
            text = file.read(4096)
        gains = [float(word) for word in text.split()]
    except (OSError, ValueError):
        return None
    is_whole = len(gains) == count and text.endswith('\n') and all(
        [0 < gain < math.inf for gain in gains])
    return gains if is_whole else None


def _write(path, gains):
    """Write a file, unless another process has done so; return its contents."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    # Other processes see the whole file or none.
    with tempfile.NamedTemporaryFile(
            'w', dir=os.path.dirname(path), delete=False, encoding='ascii') as file:
        file.write(' '.join(['%.2f' % gain for gain in gains]) + '\n')
    try:
        os.link(file.name, path)
    except FileExistsError:
        others = _read(path, len(gains))
        if others:
            return others
        os.replace(file.name, path)
    finally:
        with contextlib.suppress(OSError):
            os.remove(file.name)
    return gains
