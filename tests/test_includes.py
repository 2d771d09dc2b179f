"""Headers of C++ include downward only: `_cpu`, `_core`, common kernels, families."""
import re
from pathlib import Path

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
