"""Memory: what may be addressed, how aligned, and what holds what."""
import numpy as np
import pytest

from tests.doubles.ptx import memory
from tests.doubles.ptx.faults import Fault, Unknown
from tests.doubles.ptx_tests.programs import BASE, run

# Addresses of the elements of each thread, in %rd10 and %rd11.
PLACES = '''
    shl.b64 %rd8, %rd9, 2;
    add.s64 %rd10, %rd0, %rd8;
'''


@pytest.mark.parametrize('instruction', [
    'ld.global.u32 %r10, [%rd10+1];', 'st.global.u16 [%rd10+1], %rs1;',
    'ld.global.u64 %rd20, [%rd0+4];', 'ld.global.v2.u32 {%r10, %r11}, [%rd0+4];',
    'atom.global.add.u32 %r10, [%rd0+2], 1;', 'red.global.add.u32 [%rd0+2], 1;'])
def test_misaligned_addresses_are_refused(instruction):
    with pytest.raises(Fault, match='misaligned'):
        run(PLACES + 'mov.u16 %rs1, 0;' + instruction, np.zeros(8, 'u4'))


@pytest.mark.parametrize('instruction', [
    'ld.global.u32 %r10, [%rd10+4];', 'ld.global.u8 %rs10, [%rd0+-1];',
    'st.global.u32 [%rd10+4], %r0;',
    'ld.global.v4.u32 {%r1, %r2, %r3, %r4}, [%rd0+16];',
    'red.global.add.u32 [%rd10+4], 1;', 'ld.u32 %r10, [%rd10+4];',
    'ld.global.u32 %r10, [0];', 'ld.global.u64 %rd20, [%rd0+24];'])
def test_addresses_beyond_the_memory_are_refused(instruction):
    with pytest.raises(Fault, match='illegal address|no memory'):
        run(PLACES + instruction, np.zeros(7, 'u4'), np.zeros(1, 'u4'))


def test_memory_of_several_arrays_at_once():
    a, b = np.arange(4, dtype='u4'), np.arange(4, 8, dtype='u4')
    # Half of the threads use one array, half another one.
    run(PLACES + '''
        add.s64 %rd11, %rd1, %rd8;
        setp.lt.u32 %p1, %r0, 2;
        selp.b64 %rd12, %rd10, %rd11, %p1;
        ld.global.u32 %r10, [%rd12];
        add.s32 %r10, %r10, 100;
        st.global.u32 [%rd12], %r10;
        ''', a, b)
    assert a.tolist() == [100, 101, 2, 3]
    assert b.tolist() == [4, 5, 106, 107]


def test_address_of_the_thread_that_is_out_of_bounds_is_named():
    with pytest.raises(Fault, match='%#x' % (BASE + 16)):
        run(PLACES + 'ld.global.u32 %r10, [%rd10+4];', np.zeros(4, 'u4'))


def test_vectors():
    a, out = np.arange(8, dtype='f4'), np.zeros(8, 'f4')
    run('''
        shl.b64 %rd8, %rd9, 4;
        add.s64 %rd10, %rd0, %rd8;
        add.s64 %rd11, %rd1, %rd8;
        ld.global.nc.v4.f32 {%f1, %f2, %f3, %f4}, [%rd10];
        st.global.v2.f32 [%rd11], {%f4, %f3};
        st.global.v2.f32 [%rd11+8], {%f2, %f1};
        ''', a, out, block=2)
    assert out.tolist() == [3, 2, 1, 0, 7, 6, 5, 4]


def test_loads_widen_and_stores_narrow():
    a, out = np.array([-2, 3], 'i1'), np.zeros((2, 3), 'i8')
    run('''
        add.s64 %rd10, %rd0, %rd9;
        mad.lo.s64 %rd11, %rd9, 24, %rd1;
        ld.global.s8 %rd12, [%rd10];
        st.global.u64 [%rd11], %rd12;
        ld.global.u8 %r12, [%rd10];
        st.global.u32 [%rd11+8], %r12;
        ld.global.s8 %rs12, [%rd10];
        st.global.u8 [%rd11+16], %rs12;
        ''', a, out, block=2)
    assert out.tolist() == [[-2, 254, 254], [3, 3, 3]]


def test_values_are_taken_apart_and_put_together():
    a, out = np.array([1.5, -2.25]), np.zeros((2, 2), 'u8')
    run('''
        shl.b64 %rd8, %rd9, 3;
        add.s64 %rd10, %rd0, %rd8;
        mad.lo.s64 %rd11, %rd9, 16, %rd1;
        ld.global.f64 %d1, [%rd10];
        mov.b64 {%r10, %r11}, %d1;
        mov.b64 %rd12, {%r11, %r10};
        st.global.u64 [%rd11], %rd12;
        mov.b32 {%rs10, %rs11}, %r11;
        mov.b64 %rd12, {%rs10, %rs11, %rs11, %rs10};
        st.global.u64 [%rd11+8], %rd12;
        ''', a, out, block=2)
    bits = [int(each) for each in a.view('u8')]
    upper = [each >> 32 for each in bits]
    assert out[:, 0].tolist() == [(each & 0xffffffff) << 32 | each >> 32
                                  for each in bits]
    assert out[:, 1].tolist() == [
        (u & 0xffff) | (u >> 16) << 16 | (u >> 16) << 32 | (u & 0xffff) << 48
        for u in upper]


def test_shared_memory_is_of_a_block_and_holds_anything():
    out = np.zeros((3, 4), 'u4')
    body = '''
        mov.u32 %r10, %tid.x;
        shl.b32 %r11, %r10, 2;
        mov.u32 %r12, words;
        add.s32 %r12, %r12, %r11;
        mad.lo.s64 %rd10, %rd9, 4, %rd0;
        FIRST
        ld.shared.u32 %r13, [%r12];
        st.global.u32 [%rd10], %r13;'''
    shared = '.shared .align 4 .b8 words[16];\n'
    run(body.replace('FIRST', ''), out, grid=3, block=4, outside=shared)
    assert (out == 0xffffffff).all()
    run(body.replace('FIRST', 'st.shared.u32 [%r12], %r1; bar.sync 0;'), out, grid=3,
        block=4, outside=shared)
    assert out.tolist() == [[0] * 4, [1] * 4, [2] * 4]


@pytest.mark.parametrize('size, shared, fails', [
    ('[16]', 0, False), ('[15]', 0, True), ('[]', 16, False), ('[]', 12, True)])
def test_bounds_of_shared_memory(size, shared, fails):
    body = '''
        mov.u32 %r10, %tid.x;
        shl.b32 %r11, %r10, 2;
        mov.u32 %r12, words;
        add.s32 %r12, %r12, %r11;
        st.shared.u32 [%r12], %r10;'''
    outside = '%s.shared .align 4 .b8 words%s;\n' % (
        '.extern ' if size == '[]' else '', size)

    def use():
        run(body, np.zeros(4, 'u4'), outside=outside, shared=shared)
    if fails:
        pytest.raises(Fault, use).match('of a space of')
    else:
        use()


def test_too_much_shared_memory_is_refused():
    with pytest.raises(Fault, match='shared memory'):
        run('', np.zeros(4, 'u4'), outside='.shared .align 4 .b8 words[49153];\n')


def test_generic_addresses():
    out = np.zeros((2, 4), 'u4')
    run('''
        .local .align 4 .b8 own[8];
        mov.u64 %rd20, own;
        cvta.local.u64 %rd20, %rd20;
        st.u32 [%rd20+4], %r0;
        mov.u64 %rd21, words;
        cvta.shared.u64 %rd21, %rd21;
        mov.u32 %r10, %tid.x;
        mul.wide.u32 %rd22, %r10, 4;
        add.s64 %rd21, %rd21, %rd22;
        add.s32 %r11, %r0, 100;
        st.u32 [%rd21], %r11;
        setp.lt.u32 %p1, %r10, 2;
        add.s64 %rd23, %rd20, 4;
        selp.b64 %rd24, %rd23, %rd21, %p1;
        ld.u32 %r12, [%rd24];
        mad.lo.s64 %rd10, %rd9, 4, %rd0;
        st.u32 [%rd10], %r12;
        ''', out, grid=2, block=4, outside='.shared .align 4 .b8 words[16];\n')
    assert out.tolist() == [[0, 1, 102, 103], [4, 5, 106, 107]]


@pytest.mark.parametrize('body, text', [
    ('mov.u64 %rd20, words; ld.u32 %r10, [%rd20];', 'illegal address'),
    ('cvta.to.shared.u64 %rd20, %rd0; ld.shared.u32 %r10, [%rd20];', 'not in .shared'),
    ('mov.u64 %rd20, words; cvta.shared.u64 %rd20, %rd20; ld.global.u32 %r1, [%rd20];',
     'illegal address')])
def test_addresses_of_other_spaces_are_refused(body, text):
    with pytest.raises(Fault, match=text):
        run(body, np.zeros(4, 'u4'), outside='.shared .align 4 .b8 words[16];\n')


def test_local_memory_is_of_a_thread():
    out = np.zeros(4, 'u4')
    run('''
        .local .align 8 .b8 own[16];
        mov.u64 %rd20, own;
        st.local.u32 [%rd20+8], %r0;
        ld.local.u32 %r10, [%rd20+8];
        mad.lo.s64 %rd10, %rd9, 4, %rd0;
        st.global.u32 [%rd10], %r10;
        ''', out)
    assert out.tolist() == [0, 1, 2, 3]
    with pytest.raises(Fault, match='of a space of 16'):
        run('.local .align 8 .b8 own[16]; mov.u64 %rd20, own;\n'
            'st.local.u32 [%rd20+16], %r0;', out)


def test_variables_of_the_module():
    out = np.zeros(3, 'f4')
    outside = ('.global .align 4 .f32 table[3] = {0f3F800000, 0f40000000, '
               '0fC0400000};\n'
               '.const .align 4 .b8 bytes[4] = {1, 2, 255, 4};\n')
    run('''
        mov.u64 %rd20, table;
        mad.lo.s64 %rd20, %rd9, 4, %rd20;
        ld.global.f32 %f1, [%rd20];
        ld.const.u8 %rs10, [bytes+2];
        cvt.rn.f32.u16 %f2, %rs10;
        add.f32 %f1, %f1, %f2;
        mad.lo.s64 %rd10, %rd9, 4, %rd0;
        st.global.f32 [%rd10], %f1;
        ''', out, outside=outside)
    assert out.tolist() == [256, 257, 252]
    with pytest.raises(Fault, match='is written'):
        run('mov.u64 %rd20, bytes; st.global.u32 [%rd20], 1;', out, outside=outside,
            block=1)


@pytest.mark.parametrize('instruction', [
    'atom.global.add.s64 %rd1, [%rd0], 1;', 'atom.global.min.f32 %f1, [%rd0], %f1;',
    'red.global.exch.b32 [%rd0], 1;', 'atom.global.cas.u32 %r1, [%rd0], 1, 2;',
    'ld.global.f16 %f1, [%rd0];', 'ld.u32 %r1, [somewhere];',
    'ld.shared.nc.u32 %r1, [0];', 'ld.param.u32 %r1, [nothing];',
    'st.const.u32 [%rd0], 1;', 'ld.global.v3.u32 %r1, [0];',
    'ld.global.v2.u32 {%r1}, [%rd0];', 'st.global.u32 [%r1], %r1;',
    'isspacep.global %p1, %rd0;', 'ld.global.u32 %rs1, [%rd0];',
    'ld.global.u32 %d1, [%rd0];', 'mov.b64 {%r1, %rs1}, %rd0;', 'mov.u32 %r1, %clock;',
    'mov.u64 %rd1, unknown;'])
def test_unknown_instructions_are_refused(instruction):
    with pytest.raises(Unknown):
        run('mov.f32 %f1, 0f00000000;' + instruction, np.zeros(4, 'u4'), block=1)


def test_regions_must_not_overlap():
    with pytest.raises(ValueError, match='overlap'):
        memory.Global([memory.Region(16, bytes(8)), memory.Region(20, bytes(8))])
