"""Instructions of integers, beside NumPy's and Python's."""
import numpy as np
import pytest

from tests.doubles.ptx import kinds
from tests.doubles.ptx.faults import Fault, Unknown
from tests.doubles.ptx_tests.programs import assert_same, operate, pairs, run

INTEGERS = ['s16', 'u16', 's32', 'u32', 's64', 'u64']


def in_python(function, kind, *arrays):
    """Apply a function of Python's integers, and keep the lower bits."""
    dtype = kinds.dtype_of(kind)
    mask = (1 << 8 * dtype.itemsize) - 1
    return np.array([function(*map(int, each)) & mask for each in zip(
        *arrays, strict=True)], kinds.bits(dtype.itemsize)).view(dtype)


def divided(a, b):
    """Return the quotient, rounded towards zero."""
    return (abs(a) // abs(b)) * (1 if (a < 0) == (b < 0) else -1)


@pytest.mark.parametrize('kind', INTEGERS)
@pytest.mark.parametrize('opcode, function', [
    ('add', lambda a, b: a + b), ('sub', lambda a, b: a - b),
    ('mul.lo', lambda a, b: a * b), ('min', min), ('max', max)])
def test_two_integers(opcode, function, kind):
    a, b = pairs(kind)
    assert_same(operate('%s.%s' % (opcode, kind), kind, (kind, a), (kind, b)),
                in_python(function, kind, a, b))


@pytest.mark.parametrize('kind', INTEGERS)
def test_quotients_and_remainders(kind):
    a, b = pairs(kind)
    a, b = a[b != 0], b[b != 0]
    assert_same(operate('div.' + kind, kind, (kind, a), (kind, b)),
                in_python(divided, kind, a, b))
    assert_same(operate('rem.' + kind, kind, (kind, a), (kind, b)),
                in_python(lambda a, b: a - divided(a, b) * b, kind, a, b))


@pytest.mark.parametrize('kind', INTEGERS)
@pytest.mark.parametrize('name', ['div', 'rem'])
def test_division_by_zero_is_refused(name, kind):
    with pytest.raises(Fault, match='divided by zero'):
        operate('%s.%s' % (name, kind), kind, (kind, [4, 4]), (kind, [1, 0]))


@pytest.mark.parametrize('kind', INTEGERS)
def test_upper_halves_and_wide_products(kind):
    a, b = pairs(kind)
    width = 8 * kinds.size_of(kind)
    assert_same(operate('mul.hi.' + kind, kind, (kind, a), (kind, b)),
                in_python(lambda a, b: a * b >> width, kind, a, b))
    c = a[::-1]
    assert_same(
        operate('mad.hi.' + kind, kind, (kind, a), (kind, b), (kind, c)),
        in_python(lambda a, b, c: (a * b >> width) + c, kind, a, b, c))
    assert_same(
        operate('mad.lo.' + kind, kind, (kind, a), (kind, b), (kind, c)),
        in_python(lambda a, b, c: a * b + c, kind, a, b, c))
    if width < 64:
        wide = '%s%d' % (kind[0], 2 * width)
        assert_same(operate('mul.wide.' + kind, wide, (kind, a), (kind, b)),
                    in_python(lambda a, b: a * b, wide, a, b))


@pytest.mark.parametrize('kind', ['s16', 's32', 's64'])
def test_signs(kind):
    a, _ = pairs(kind)
    assert_same(operate('neg.' + kind, kind, (kind, a)),
                in_python(lambda a: -a, kind, a))
    assert_same(operate('abs.' + kind, kind, (kind, a)), in_python(abs, kind, a))


@pytest.mark.parametrize('kind', ['b16', 'b32', 'b64'])
@pytest.mark.parametrize('name, function', [
    ('and', np.bitwise_and), ('or', np.bitwise_or), ('xor', np.bitwise_xor)])
def test_logic(name, function, kind):
    a, b = pairs(kind)
    assert_same(operate('%s.%s' % (name, kind), kind, (kind, a), (kind, b)),
                function(a, b))
    assert_same(operate('not.' + kind, kind, (kind, a)), ~a)
    assert_same(operate('cnot.' + kind, kind, (kind, a)), (a == 0).astype(a.dtype))


@pytest.mark.parametrize('name, function', [
    ('and', np.logical_and), ('or', np.logical_or), ('xor', np.logical_xor)])
def test_logic_of_predicates(name, function):
    a, b = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    assert_same(operate(name + '.pred', 'pred', ('pred', a), ('pred', b)),
                function(a, b))
    assert_same(operate('not.pred', 'pred', ('pred', a)), a == 0)


@pytest.mark.parametrize('name, kind', [
    *[('shl', 'b%d' % n) for n in (16, 32, 64)],
    *[('shr', letter + str(n)) for n in (16, 32, 64) for letter in 'usb']])
def test_shifts(name, kind):
    a, _ = pairs(kind)
    a, n = [each.reshape(-1) for each in np.meshgrid(
        a, np.array([0, 1, 5, 15, 16, 31, 32, 63, 64, 65, 1 << 20, (1 << 32) - 1]))]

    def shifted(a, n):
        return a << min(n, 70) if name == 'shl' else a >> n
    assert_same(operate('%s.%s' % (name, kind), kind, (kind, a), ('u32', n)),
                in_python(shifted, kind, a, n))


@pytest.mark.parametrize('width', [32, 64])
def test_counts(width):
    a, _ = pairs('u%d' % width)
    a = np.append(a, np.array([1 << i for i in range(width)], a.dtype))
    kind = 'b%d' % width
    texts = [format(int(each), '0%db' % width) for each in a]
    for name, expected in (
            ('popc', [each.count('1') for each in texts]),
            ('clz', [len(each) - len(each.lstrip('0')) for each in texts])):
        assert_same(operate('%s.%s' % (name, kind), 'u32', (kind, a)),
                    np.array(expected, 'u4'))
    assert_same(operate('brev.' + kind, kind, (kind, a)),
                np.array([int(each[::-1], 2) for each in texts], a.dtype))
    first = [each.find('1') for each in texts]
    highest = [-1 if i < 0 else width - 1 - i for i in first]
    assert_same(operate('bfind.u%d' % width, 'u32', ('u%d' % width, a)),
                np.array(highest).astype('u4'))
    assert_same(operate('bfind.shiftamt.u%d' % width, 'u32', ('u%d' % width, a)),
                np.array(first).astype('u4'))


def test_highest_digit_of_negative_numbers():
    a = np.array([-1, -2, -3, 5, 0, -(1 << 31)], 'i4')
    assert_same(operate('bfind.s32', 'u32', ('s32', a)),
                np.array([-1, 0, 1, 2, -1, 30]).astype('u4'))


@pytest.mark.parametrize('kind', ['u32', 's32', 'u64', 's64'])
def test_fields(kind):
    width = 8 * kinds.size_of(kind)
    value = 0x8765_4321_f0e1_d2c3 & (1 << width) - 1
    begin, length = [each.reshape(-1) for each in np.meshgrid(
        np.arange(0, 70, 3), np.array([0, 1, 7, 31, 32, 63, 64, 70]))]
    a = np.full(begin.shape, value, 'u%d' % (width // 8)).view(kinds.dtype_of(kind))

    def extracted(b, n):
        """As the manual defines it, digit by digit."""
        sign = 0 if kind[0] == 'u' or n == 0 else value >> min(
            b + n - 1, width - 1) & 1
        return sum((value >> b + i & 1 if i < n and b + i < width else sign) << i
                   for i in range(width))
    assert_same(
        operate('bfe.' + kind, kind, (kind, a), ('u32', begin), ('u32', length)),
        in_python(extracted, kind, begin, length))


def test_insertion():
    begin, length = [each.reshape(-1) for each in np.meshgrid(
        np.arange(0, 36, 4), np.array([0, 1, 7, 31, 32]))]
    a, b = 0x12345678, 0xabcdef01

    def inserted(at, n):
        bits = [(a >> i - at) & 1 if at <= i < at + n else (b >> i) & 1
                for i in range(32)]
        return sum(bit << i for i, bit in enumerate(bits))
    assert_same(operate('bfi.b32', 'b32', ('b32', np.full(begin.shape, a)),
                        ('b32', np.full(begin.shape, b)), ('u32', begin),
                        ('u32', length)), in_python(inserted, 'u32', begin, length))


def test_bytes_are_chosen():
    # The digits of the choice are bytes of both, and their signs from eight on.
    a, b = 0x83020100, 0x07f60504
    choice = np.array([0x3210, 0x7654, 0x0000, 0xb3e6, 0x4567], 'u4')
    expected = np.array([a, b, 0, 0xff83_fff6, 0x0405_f607], 'u4')
    assert_same(operate('prmt.b32', 'b32', ('b32', np.full(5, a)),
                        ('b32', np.full(5, b)), ('b32', choice)), expected)


@pytest.mark.parametrize('how', ['wrap', 'clamp'])
def test_funnels(how):
    low, high = 0x89abcdef, 0x01234567
    n = np.array([0, 1, 4, 31, 32, 33, 63, 64])
    by = n % 32 if how == 'wrap' else np.minimum(n, 32)
    both = high << 32 | low
    for to, expected in (('r', [both >> int(k) for k in by]),
                         ('l', [both << int(k) >> 32 for k in by])):
        assert_same(
            operate('shf.%s.%s.b32' % (to, how), 'b32', ('b32', np.full(8, low)),
                    ('b32', np.full(8, high)), ('u32', n)),
            np.array([each & 0xffffffff for each in expected], 'u4'))


@pytest.mark.parametrize('table, function', [
    (0x80, lambda a, b, c: a & b & c), (0xfe, lambda a, b, c: a | b | c),
    (0x96, lambda a, b, c: a ^ b ^ c), (0xca, lambda a, b, c: a & b | ~a & c),
    (0x1a, lambda a, b, c: (a & b | c) ^ a), (0x00, lambda a, b, c: a & 0)])
def test_any_logic_of_three(table, function):
    a, b, c = np.random.default_rng(0).integers(0, 1 << 32, (3, 20), dtype='u4')
    assert_same(operate('lop3.b32', 'b32', ('b32', a), ('b32', b), ('b32', c),
                        extra=', %d' % table), function(a, b, c))


@pytest.mark.parametrize('name, function', [
    ('add', lambda a, b: a + b), ('sub', lambda a, b: a - b)])
def test_carries(name, function):
    a, b = [each.copy() for each in pairs('u64')]
    out = np.zeros(len(a), 'u8')
    run('''
        shl.b64 %rd10, %rd9, 3;
        add.s64 %rd11, %rd10, %rd0;
        add.s64 %rd12, %rd10, %rd1;
        add.s64 %rd13, %rd10, %rd2;
        ld.global.v2.u32 {%r10, %r11}, [%rd12];
        ld.global.v2.u32 {%r12, %r13}, [%rd13];
        NAME.cc.u32 %r14, %r10, %r12;
        NAMEc.u32 %r15, %r11, %r13;
        st.global.v2.u32 [%rd11], {%r14, %r15};
        '''.replace('NAME', name), out, a, b)
    assert_same(out, in_python(function, 'u64', a, b))


def test_carries_of_products():
    a, b = [each.copy() for each in pairs('u64')]
    out = np.zeros(2 * len(a), 'u8')
    run('''
        shl.b64 %rd10, %rd9, 3;
        add.s64 %rd12, %rd10, %rd1;
        add.s64 %rd13, %rd10, %rd2;
        shl.b64 %rd10, %rd9, 4;
        add.s64 %rd11, %rd10, %rd0;
        ld.global.v2.u32 {%r10, %r11}, [%rd12];
        ld.global.v2.u32 {%r12, %r13}, [%rd13];
        mul.lo.u32 %r14, %r10, %r12;
        mul.hi.u32 %r15, %r10, %r12;
        mad.lo.cc.u32 %r15, %r11, %r12, %r15;
        madc.hi.u32 %r16, %r11, %r12, 0;
        mad.lo.cc.u32 %r15, %r10, %r13, %r15;
        madc.hi.cc.u32 %r16, %r10, %r13, %r16;
        addc.u32 %r17, 0, 0;
        mad.lo.cc.u32 %r16, %r11, %r13, %r16;
        madc.hi.u32 %r17, %r11, %r13, %r17;
        st.global.v4.u32 [%rd11], {%r14, %r15, %r16, %r17};
        ''', out, a, b, block=len(a))
    assert_same(out[::2], in_python(lambda a, b: a * b, 'u64', a, b))
    assert_same(out[1::2], in_python(lambda a, b: a * b >> 64, 'u64', a, b))


@pytest.mark.parametrize('instruction', [
    'add.b32 %r10, %r11, %r12;', 'add.f32 %i1, %f1, %f2;', 'add.s64 %r10, %r11, %r12;',
    'add.s32 %f1, %r11, %r12;', 'add.sat.s32 %r10, %r11, %r12;', 'add.s32 %r10, %r11;',
    'add.s8 %rs1, %rs2, %rs3;', 'mul.s32 %r10, %r11, %r12;', 'neg.u32 %r10, %r11;',
    'mul.wide.s64 %rd1, %rd2, %rd3;', 'shl.s32 %r10, %r11, 1;',
    'and.s32 %r1, %r1, %r1;', 'add.s16 %rs1, %rs2, 65536;',
    'dp4a.u32.u32 %r10, %r11, %r12, %r13;', 'div.b32 %r10, %r11, %r12;',
    'addc.s16 %rs1, %rs1, %rs1;', 'xor.pred %p1, %p2, %r1;',
    'frobnicate.u32 %r10, %r11;', 'add.s32 %r10, %r11, %r99;'])
def test_unknown_instructions_are_refused(instruction):
    with pytest.raises(Unknown):
        run('mov.u32 %r11, 1; mov.u32 %r12, 1;' + instruction, np.zeros(1, 'u4'))


def test_unknown_instructions_are_refused_where_no_thread_comes():
    with pytest.raises(Unknown, match='frobnicate'):
        run('bra END;\nfrobnicate.u32 %r10, %r11;\nEND:', np.zeros(1, 'u4'))


def test_carry_needs_an_instruction_that_makes_one():
    with pytest.raises(Fault, match='carry'):
        run('addc.u32 %r10, %r0, %r0;', np.zeros(1, 'u4'))
