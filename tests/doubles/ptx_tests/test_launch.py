"""Parameters, and sizes of launches."""
import numpy as np
import pytest

from tests.doubles.ptx import launch, memory, text
from tests.doubles.ptx.faults import Fault
from tests.doubles.ptx_tests.programs import BASE, HEAD, module

PARAMETERS = HEAD + '''
.visible .entry program(.param .u64 p0, .param .align 8 .b8 p1[24], .param .u8 p2,
                        .param .f32 p3)
{
    .reg .b32 %r<9>; .reg .b64 %rd<9>; .reg .f32 %f<9>; .reg .b16 %rs<9>;
    ld.param.u64 %rd1, [p0];
    ld.param.u32 %r1, [p1+8];
    st.global.u32 [%rd1], %r1;
    mov.b64 %rd2, p1;
    mov.u32 %r2, 16;
    cvt.u64.u32 %rd3, %r2;
    add.s64 %rd2, %rd2, %rd3;
    ld.param.u64 %rd4, [%rd2];
    st.global.u64 [%rd1+8], %rd4;
    ld.param.s8 %rs1, [p2];
    cvt.s32.s16 %r3, %rs1;
    st.global.u32 [%rd1+16], %r3;
    ld.param.f32 %f1, [p3];
    st.global.f32 [%rd1+20], %f1;
    ret;
}
'''


def test_parameters():
    region = memory.Region(BASE, bytes(24))
    kernel = launch.Kernel(text.Module(PARAMETERS))
    assert kernel.sizes == [8, 24, 1, 4]
    values = np.array([1, 2, 3], 'i8')
    arguments = [BASE.to_bytes(8, 'little'), values.tobytes(), b'\xfe',
                 np.float32(1.5).tobytes()]
    kernel.launch((1, 1, 1), (1, 1, 1), arguments, [region])
    assert region.data[:4].view('i4').tolist() == [2]
    assert region.data[8:16].view('i8').tolist() == [3]
    assert region.data[16:20].view('i4').tolist() == [-2]
    assert region.data[20:].view('f4').tolist() == [1.5]
    for wrong in (arguments[:-1], [*arguments, b'1'], [*arguments[:3], b'12345678']):
        with pytest.raises(Fault, match='parameters of'):
            kernel.launch((1, 1, 1), (1, 1, 1), wrong, [region])


@pytest.mark.parametrize('line, replacement', [
    ('ld.param.u32 %r1, [p1+8]', 'ld.param.u32 %r1, [p1+24]'),
    ('mov.u32 %r2, 16', 'mov.u32 %r2, 24'),
    ('ld.param.u32 %r1, [p1+8]', 'ld.param.u64 %rd5, [p3]')])
def test_bounds_of_parameters(line, replacement):
    kernel = launch.Kernel(text.Module(PARAMETERS.replace(line, replacement)))
    with pytest.raises(Fault, match='of a space of'):
        kernel.launch((1, 1, 1), (1, 1, 1), [
            BASE.to_bytes(8, 'little'), bytes(24), b'1', bytes(4)],
            [memory.Region(BASE, bytes(24))])


@pytest.mark.parametrize('grid, block, directives', [
    ((0, 1, 1), (1, 1, 1), ''), ((1, 1, 1), (1025, 1, 1), ''),
    ((1, 65536, 1), (1, 1, 1), ''), ((1, 1, 1), (1, 1, 65), ''),
    ((1, 1, 1), (0, 1, 1), ''), ((1, 1, 1), (33, 1, 1), '.maxntid 32, 1, 1')])
def test_sizes_of_launches(grid, block, directives):
    kernel = launch.Kernel(text.Module(module('', directives=directives)))
    with pytest.raises(Fault, match='grid'):
        kernel.launch(grid, block, [bytes(8)], [])
