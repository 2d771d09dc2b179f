"""Batches of kernels that NVRTC compiles at once.

Two thirds of the time of a kernel alone go into CuPy's headers and NVRTC's beginning,
for each version of CuPy and each generation of GPUs anew. Kernels in a batch share
these, and nothing else.
"""
import re

SIZE = 24
_HEADERS = re.compile(r'(?:\s*#include .*\n)*')
_ENTRY = re.compile(r'^\.visible \.entry (\S+?)\(.*?\n}\n', re.M | re.S)
_MACRO = re.compile(r'^\s*#\s*define\s+(\w+)', re.M)


def batches_of(jobs):
    """Return lists of the jobs that can be compiled together.

    Parameters
    ----------
    jobs : iterable of tuple
        Source, options and name expressions of each.
    """
    groups = {}
    for job in jobs:
        source, options, expressions = job
        key = _HEADERS.match(source)[0], options, expressions
        groups.setdefault(key, []).append(job)
    out = []
    for (_, _, expressions), group in groups.items():
        size = SIZE if expressions is None else 1
        out += [group[i:i + size] for i in range(0, len(group), size)]
    return out


def together(sources):
    """Return one source of several that begin with the same headers.

    Each is in a namespace, and its macros end with it, so that none can use what
    another declares. Kernels are functions of C++, as those of C are in no namespace.
    """
    out = [_HEADERS.match(sources[0])[0]]
    for i, source in enumerate(sources):
        code = source[_HEADERS.match(source).end():].replace('extern "C"', '')
        out += ['namespace kernel_%d {' % i, code, '}',
                *['#undef ' + name for name in _MACRO.findall(code)]]
    return '\n'.join(out)


def alone(ptx, i):
    """Return the PTX of several sources without the kernels of all but one."""
    name = 'kernel_%d' % i
    begin = '_ZN%d%s' % (len(name), name)
    return _ENTRY.sub(
        lambda found: found[0] if found[1].startswith(begin) else '', ptx)
