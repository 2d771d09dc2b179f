"""Comparisons, choices and conversions, beside NumPy's."""
import numpy as np
import pytest

from tests.doubles.ptx import kinds
from tests.doubles.ptx.faults import Unknown
from tests.doubles.ptx_tests.programs import assert_same, operate, pairs, run

INTEGERS = ['s16', 'u16', 's32', 'u32', 's64', 'u64']
COMPARISONS = {'eq': np.equal, 'ne': np.not_equal, 'lt': np.less, 'le': np.less_equal,
               'gt': np.greater, 'ge': np.greater_equal}


@pytest.mark.parametrize('kind', [*INTEGERS, 'f32', 'f64'])
@pytest.mark.parametrize('name', list(COMPARISONS))
def test_comparisons(name, kind):
    a, b = pairs(kind)
    ordered = ~np.isnan(a) & ~np.isnan(b)
    expected = COMPARISONS[name](a, b) & ordered
    assert_same(operate('setp.%s.%s' % (name, kind), 'pred', (kind, a), (kind, b)),
                expected)
    if kind[0] == 'f':
        assert_same(
            operate('setp.%su.%s' % (name, kind), 'pred', (kind, a), (kind, b)),
            COMPARISONS[name](a, b) | ~ordered)
        assert_same(operate('setp.num.' + kind, 'pred', (kind, a), (kind, b)), ordered)
        assert_same(operate('setp.nan.' + kind, 'pred', (kind, a), (kind, b)), ~ordered)


@pytest.mark.parametrize('name, function', [
    ('lo', np.less), ('ls', np.less_equal), ('hi', np.greater),
    ('hs', np.greater_equal)])
def test_comparisons_of_unsigned_integers(name, function):
    a, b = pairs('u32')
    assert_same(operate('setp.%s.u32' % name, 'pred', ('u32', a), ('u32', b)),
                function(a, b))
    pytest.raises(Unknown, operate, 'setp.%s.s32' % name, 'pred', ('s32', [1]),
                  ('s32', [1]))


@pytest.mark.parametrize('join, function', [
    ('and', np.logical_and), ('or', np.logical_or), ('xor', np.logical_xor)])
def test_comparisons_that_are_joined(join, function):
    a, b = pairs('s32')
    c = np.arange(len(a)) % 2
    assert_same(operate('setp.lt.%s.s32' % join, 'pred', ('s32', a), ('s32', b),
                        ('pred', c)), function(a < b, c == 1))


def test_both_predicates_of_a_comparison():
    out, a = np.zeros(4, 'u4'), np.arange(4, dtype='u4')
    run('''
        setp.lt.and.s32 %p1|%p2, %r0, 2, %p3;
        selp.u32 %r10, 1, 0, %p1;
        selp.u32 %r11, 10, 0, %p2;
        add.s32 %r10, %r10, %r11;
        shl.b64 %rd10, %rd9, 2;
        add.s64 %rd10, %rd10, %rd0;
        st.global.u32 [%rd10], %r10;
        '''.replace('setp.lt.and', 'setp.ne.s32 %p3, %r0, 1;\nsetp.lt.and'), out, a)
    assert out.tolist() == [1, 0, 10, 10]


def test_comparisons_flush_denormal_numbers():
    tiny = np.finfo('f4').tiny
    a, b = np.array([tiny / 2, tiny], 'f4'), np.zeros(2, 'f4')
    assert operate('setp.gt.f32', 'pred', ('f32', a), ('f32', b)).tolist() == [True] * 2
    assert operate('setp.gt.ftz.f32', 'pred', ('f32', a), ('f32', b)).tolist() == [
        False, True]


def test_comparisons_as_numbers():
    a, b = pairs('f32')
    assert_same(operate('set.lt.f32.f32', 'f32', ('f32', a), ('f32', b)),
                (a < b).astype('f4'))
    assert_same(operate('set.lt.u32.f32', 'u32', ('f32', a), ('f32', b)),
                np.where(a < b, np.uint32(0xffffffff), np.uint32(0)))


@pytest.mark.parametrize('kind', ['b16', 'u32', 'b64', 'f32', 'f64'])
def test_choices(kind):
    a, b = pairs(kind)
    c = np.arange(len(a)) % 2
    assert_same(operate('selp.' + kind, kind, (kind, a), (kind, b), ('pred', c)),
                np.where(c, a, b))


def test_choices_by_sign():
    tiny = np.finfo('f4').tiny
    c = np.array([1, -1, 0, -0., np.nan, -tiny / 2], 'f4')
    for flushes, expected in (('', [0, 1, 0, 0, 1, 1]), ('.ftz', [0, 1, 0, 0, 1, 0])):
        out = operate('slct%s.u32.f32' % flushes, 'u32', ('u32', np.zeros(6)),
                      ('u32', np.ones(6)), ('f32', c))
        assert out.tolist() == expected
    assert operate('slct.u32.s32', 'u32', ('u32', [7, 7]), ('u32', [8, 8]),
                   ('s32', [0, -1])).tolist() == [7, 8]


@pytest.mark.parametrize('source', INTEGERS)
@pytest.mark.parametrize('kind', INTEGERS)
def test_integers_to_integers(kind, source):
    a, _ = pairs(source)
    assert_same(operate('cvt.%s.%s' % (kind, source), kind, (source, a)),
                a.astype(kinds.dtype_of(kind)))
    info = np.iinfo(kinds.dtype_of(kind))
    clipped = np.array([min(max(int(each), info.min), info.max) for each in a],
                       kinds.dtype_of(kind))
    assert_same(operate('cvt.sat.%s.%s' % (kind, source), kind, (source, a)),
                clipped)


def test_registers_wider_than_bytes():
    # The upper digits of the register are the copies of the sign, or zeros.
    a = np.array([0x80, 0x7f, 0x1ff], 'u2')
    assert operate('cvt.s16.s8', 's16', ('s16', a)).tolist() == [-128, 127, -1]
    assert operate('cvt.u16.u8', 'u16', ('u16', a)).tolist() == [128, 127, 255]
    assert operate('cvt.s8.s32', 's32', ('s32', a)).tolist() == [-128, 127, -1]
    assert operate('cvt.u8.u32', 'u32', ('u32', a)).tolist() == [128, 127, 255]


WHOLE = {'rni': np.rint, 'rzi': np.trunc, 'rmi': np.floor, 'rpi': np.ceil}


@pytest.mark.parametrize('source', ['f16', 'f32', 'f64'])
@pytest.mark.parametrize('kind', INTEGERS)
@pytest.mark.parametrize('how', list(WHOLE))
def test_floats_to_integers(how, kind, source):
    a = np.array([0, -0., .5, 1.5, 2.5, -.5, -1.5, -2.7, 2.7, 40000, -40000, 65504,
                  np.inf, -np.inf, np.nan, 3e9, -3e9, 1e19, 2e19, -1e19, 2.**63],
                 'd')
    if source == 'f16':
        a = a[:15]
    a = a.astype(kinds.dtype_of(source))
    dtype = kinds.dtype_of(kind)
    info = np.iinfo(dtype)
    # As the manual has it: zero of narrow types, and otherwise the upper digit alone.
    of_nan = 0 if source != 'f64' and dtype.itemsize < 8 else (
        info.min if dtype.kind == 'i' else info.max // 2 + 1)
    expected = [of_nan if np.isnan(each) else info.max if each == np.inf else
                info.min if each == -np.inf else
                min(max(int(each), info.min), info.max)
                for each in WHOLE[how](a.astype('d'))]
    assert_same(operate('cvt.%s.%s.%s' % (how, kind, source), kind, (source, a)),
                np.array(expected, dtype))


@pytest.mark.parametrize('source', INTEGERS)
@pytest.mark.parametrize('kind', ['f16', 'f32', 'f64'])
def test_integers_to_floats(kind, source):
    a, _ = pairs(source)
    dtype = kinds.dtype_of(kind)
    out = {how: operate('cvt.%s.%s.%s' % (how, kind, source), kind, (source, a))
           for how in ('rn', 'rz', 'rm', 'rp')}
    with np.errstate(over='ignore'):
        for i, each in enumerate(a):
            value = int(each)
            nearest = dtype.type(float(value)) if dtype.itemsize == 2 else dtype.type(
                each)
            assert out['rn'][i] == nearest
            # Python compares integers and numbers exactly.
            below, above = float(out['rm'][i]), float(out['rp'][i])
            assert below <= value <= above
            assert above == below or (
                np.nextafter(out['rm'][i], dtype.type(np.inf)) == out['rp'][i])
            assert out['rz'][i] == (out['rm'][i] if value > 0 else out['rp'][i])


def test_integers_to_half_floats_are_rounded_once():
    # Just above a tie, which single precision does not hold.
    a = np.array([(1 << 15) + (1 << 4) + 1, (1 << 15) + (1 << 4)], 'i4')
    assert_same(operate('cvt.rn.f16.s32', 'f16', ('s32', a)),
                np.array([(1 << 15) + (1 << 5), 1 << 15], 'f2'))


@pytest.mark.parametrize('source', ['f16', 'f32', 'f64'])
@pytest.mark.parametrize('kind', ['f16', 'f32', 'f64'])
def test_floats_to_floats(kind, source):
    a, b = pairs(source)
    with np.errstate(all='ignore'):
        a = np.concatenate([a, (a * b)[np.isfinite(a * b)]])
        narrows = kinds.size_of(kind) < kinds.size_of(source)
        opcode = 'cvt.%s%s.%s' % ('rn.' if narrows else '', kind, source)
        assert_same(operate(opcode, kind, (source, a)), a.astype(kinds.dtype_of(kind)))
        pytest.raises(Unknown, operate, 'cvt.%s%s.%s' % (
            '' if narrows else 'rn.', kind, source), kind, (source, [1]))
        if kind == source:
            for how, function in WHOLE.items():
                out = operate('cvt.%s.%s.%s' % (how, kind, kind), kind, (kind, a))
                assert_same(out, function(a))
        if narrows:
            a = a[np.isfinite(a)]
            down, up = [operate('cvt.%s.%s.%s' % (how, kind, source), kind, (source, a))
                        for how in ('rm', 'rp')]
            assert (down.astype('d') <= a).all() and (a <= up.astype('d')).all()
            assert (np.nextafter(down, down.dtype.type(np.inf)) == up)[down != up].all()
            zero = operate('cvt.rz.%s.%s' % (kind, source), kind, (source, a))
            assert_same(zero, np.where(a > 0, down, np.where(a < 0, up, zero)))


def test_conversions_flush_denormal_numbers():
    tiny = np.finfo('f4').tiny
    a = np.array([tiny / 2, -tiny / 2, tiny], 'f4')
    assert_same(operate('cvt.ftz.f64.f32', 'f64', ('f32', a)), np.array([0, -0., tiny]))
    assert_same(operate('cvt.f64.f32', 'f64', ('f32', a)), a.astype('d'))
    assert_same(operate('cvt.rn.ftz.f32.f64', 'f32', ('f64', a.astype('d'))),
                np.array([0, -0., tiny], 'f4'))
    assert operate('cvt.rpi.ftz.s32.f32', 's32', ('f32', a)).tolist() == [0, 0, 1]
    assert operate('cvt.rpi.s32.f32', 's32', ('f32', a)).tolist() == [1, 0, 1]


def test_conversions_between_zero_and_one():
    a = np.array([-1, .5, 2, np.nan], 'f4')
    assert_same(operate('cvt.sat.f32.f32', 'f32', ('f32', a)),
                np.array([0, .5, 1, 0], 'f4'))


@pytest.mark.parametrize('instruction', [
    'cvt.s32.f32 %r10, %f1;', 'cvt.f32.s32 %f1, %r0;', 'cvt.rn.s32.f32 %r10, %f1;',
    'cvt.rni.f32.s32 %f1, %r0;', 'cvt.b32.u16 %r10, %rs1;', 'cvt.u64.u32 %r10, %r0;',
    'cvt.rn.f32.f64 %f1, %r0;', 'cvt.rzi.f64.f32 %d1, %f1;',
    'cvt.rn.bf16.f32 %rs1, %f1;', 'setp.lt.b32 %p1, %r0, %r0;',
    'setp.num.s32 %p1, %r0, %r0;', 'setp.s32 %p1, %r0, 1;',
    'setp.lt.s32 %r10, %r0, %r0;', 'setp.eq.f32 %p1, %r0, %d1;',
    'selp.pred %p1, %p1, %p1, %p1;', 'selp.f32 %i1, %f1, %f1, %p1;',
    'set.lt.s32 %r10, %r0, %r0;'])
def test_unknown_instructions_are_refused(instruction):
    with pytest.raises(Unknown):
        run(instruction, np.zeros(1, 'u4'))
