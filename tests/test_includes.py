"""Headers of C++ include downward only: `_cpu`, `_core`, common kernels, families.

Any two of them can be included by one file: each family has a namespace of its own.
"""
import re
import sysconfig
from pathlib import Path

import numpy
import pytest

from tests import compiled

ROOT = Path(__file__).resolve().parents[1]
INCLUDE = re.compile(r'^\s*#\s*include\s+"(chainer_fast/[^"]+)"', re.M)
KERNELS = 'chainer_fast/backends/kernels'
#: The folders that a header may stand in, lowest first; families of kernels stand side
#: by side, above what they have in common.
FLOORS = ['chainer_fast/_cpu', 'chainer_fast/_core', KERNELS + '/common',
          KERNELS + '/declared', KERNELS, 'chainer_fast/backends']


def floor(path):
    return next((i for i, folder in enumerate(FLOORS)
                 if path.startswith(folder + '/')), len(FLOORS))


def includes():
    for suffix in '*.hpp', '*.cc', '*.pyx', '*.pxd':
        for path in sorted((ROOT / 'chainer_fast').rglob(suffix)):
            name = path.relative_to(ROOT).as_posix()
            for other in INCLUDE.findall(path.read_text(encoding='utf-8')):
                yield name, other


def test_includes_point_downward():
    found = list(includes())
    assert len(found) > 100
    assert all((ROOT / other).is_file() for _, other in found)
    assert not [(name, other) for name, other in found if floor(other) > floor(name)]


def family(path):
    """Return the family of kernels that a file belongs to, or None."""
    parts = path.split('/')
    return parts[3] if path.startswith(KERNELS + '/') else None


def test_families_are_in_no_circle():
    edges = {}
    for name, other in includes():
        one, two = family(name), family(other)
        if one and two and one != two:
            edges.setdefault(one, set()).add(two)

    def reaches(family, seen=()):
        return {family}.union(*[
            reaches(other, (*seen, family)) for other in edges.get(family, ())
            if other not in seen])

    for one, others in edges.items():
        assert not [other for other in others if one in reaches(other)], one


#: What only CUDA's compiler knows by itself.
OF_CUDA = """
#define __shared__
static struct { unsigned x; } blockIdx, blockDim, gridDim, threadIdx;
inline void __syncthreads() {}
"""
#: Headers are read once; other files are parts of one, which includes them.
ONCE = re.compile(r'^#pragma once|^#ifndef CHAINER_FAST', re.M)


def headers():
    """Return the names of all headers, and of their parts."""
    found = {path.relative_to(ROOT).as_posix(): path.read_text(encoding='utf-8')
             for path in sorted((ROOT / 'chainer_fast').rglob('*.hpp'))}
    whole = [name for name, text in found.items() if ONCE.search(text)]
    return whole, found.keys() - {*whole}


@pytest.mark.parametrize('backward', [False, True])
def test_one_file_can_include_all_headers(tmp_path, backward):
    whole, parts = headers()
    assert len(whole) > 100
    assert parts <= {other for _, other in includes()}
    source = tmp_path / 'all.cpp'
    source.write_text(OF_CUDA + ''.join(
        ['#include "%s"\n' % name for name in sorted(whole, reverse=backward)]))
    compiled.run(
        source, '-fsyntax-only', '-std=c++17', '-w', '-I', ROOT,
        '-I', sysconfig.get_path('include'), '-I', numpy.get_include(),
        '-DNPY_NO_DEPRECATED_API=NPY_1_22_API_VERSION')


@pytest.mark.parametrize('name', [
    name for name in headers()[0] if floor(name) == FLOORS.index(KERNELS)])
def test_a_family_has_a_namespace_of_its_own(name):
    text = (ROOT / name).read_text(encoding='utf-8')
    opened = re.findall(
        r'^namespace chainer_fast(?:::| {\nnamespace )(\w+) {', text, re.M)
    assert {*opened} == {family(name)}
    assert len(opened) == text.count('\nnamespace chainer_fast')
