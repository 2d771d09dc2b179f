"""Atomic operations."""
import numpy as np
import pytest

from tests.doubles.ptx import kinds
from tests.doubles.ptx_tests.programs import register, run


@pytest.mark.parametrize('kind, what, values, expected', [
    ('u32', 'add', [5, 6, 7, 8], 10 + 26), ('s32', 'min', [5, -6, 7, 8], -6),
    ('u64', 'max', [5, 60, 7, 8], 60), ('f32', 'add', [.5, 1, 2, 4], 17.5),
    ('f64', 'add', [.5, 1, 2, 4], 17.5), ('b32', 'and', [7, 6, 14, 15], 2),
    ('b32', 'or', [1, 4, 16, 32], 10 | 53), ('b64', 'xor', [1, 2, 4, 8], 10 ^ 15)])
@pytest.mark.parametrize('returns', [False, True])
def test_atomic_operations(kind, what, values, expected, returns):
    dtype = kinds.dtype_of(kind)
    out, a = np.full(1, 10, dtype), np.array(values, dtype)
    value, old = register(kind, 1), register(kind, 2)
    operation = 'atom.global.%s.%s %s, [%%rd0], %s;' % (what, kind, old, value) if (
        returns) else 'red.global.%s.%s [%%rd0], %s;' % (what, kind, value)
    run('mad.lo.s64 %%rd20, %%rd9, %d, %%rd1;\nld.global.%s %s, [%%rd20];\n' % (
        dtype.itemsize, kind, value) + operation, out, a, block=4)
    assert out[0] == expected


def test_what_atomic_operations_return():
    total, places, seen = np.zeros(1, 'u4'), np.zeros(8, 'u4'), np.zeros(8, 'u4')
    run('''
        atom.global.add.u32 %r10, [%rd0], 1;
        mul.wide.u32 %rd20, %r10, 4;
        add.s64 %rd21, %rd20, %rd1;
        st.global.u32 [%rd21], %r0;
        atom.shared.inc.u32 %r11, [turns], 2;
        mad.lo.s64 %rd22, %rd9, 4, %rd2;
        st.global.u32 [%rd22], %r11;
        '''.replace('atom.shared', 'mov.u32 %r12, 0;\nst.shared.u32 [turns], %r12;\n'
                    'bar.sync 0;\natom.shared'), total, places, seen, block=8,
        outside='.shared .align 4 .u32 turns;\n')
    assert total[0] == 8
    assert sorted(places) == list(range(8))
    assert sorted(seen) == [0, 0, 0, 1, 1, 1, 2, 2]


def test_exchange_by_comparison():
    locks, winners = np.array([0, 5], 'u4'), np.zeros(4, 'u4')
    run('''
        and.b32 %r10, %r0, 1;
        mul.wide.u32 %rd20, %r10, 4;
        add.s64 %rd20, %rd20, %rd0;
        add.s32 %r11, %r0, 100;
        atom.global.cas.b32 %r12, [%rd20], 0, %r11;
        mad.lo.s64 %rd21, %rd9, 4, %rd1;
        st.global.u32 [%rd21], %r12;
        ''', locks, winners, block=4)
    assert locks[0] in (100, 102) and locks[1] == 5
    assert winners[1] == winners[3] == 5
    assert sorted([winners[0], winners[2]]) == [0, locks[0]]


def test_atomic_sums_flush_denormal_numbers_in_global_memory():
    tiny = np.float32(np.finfo('f4').tiny / 2)
    out, a = np.array([tiny], 'f4'), np.array([tiny], 'f4')
    run('ld.global.f32 %f1, [%rd1]; red.global.add.f32 [%rd0], %f1;', out, a, block=1)
    assert out[0] == 0
