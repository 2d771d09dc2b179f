"""Races that must be seen, and orders that are none."""
import numpy as np
import pytest

from tests.doubles.ptx import launch
from tests.doubles.ptx_tests.programs import run

SHARED = '.shared .align 8 .b8 words[1024];\n'
# The thread's own word in shared memory is at %r15, the next thread's at %r16.
PLACES = '''
    mov.u32 %r12, %tid.x;
    shl.b32 %r13, %r12, 2;
    mov.u32 %r14, words;
    add.s32 %r15, %r14, %r13;
    add.s32 %r16, %r15, 4;
    shl.b64 %rd8, %rd9, 2;
    add.s64 %rd10, %rd0, %rd8;
'''


def races(body, block=8, grid=1, size=None):
    out = np.zeros(size or block * grid + 1, 'u4')
    return run(PLACES + body, out, grid=grid, block=block, outside=SHARED).races


@pytest.mark.parametrize('body', [
    # A thread reads what another one writes.
    'st.shared.u32 [%r15], %r0; ld.shared.u32 %r10, [%r16];',
    'ld.shared.u32 %r10, [%r16]; st.shared.u32 [%r15], %r0;',
    'st.global.u32 [%rd10], %r0; ld.global.u32 %r10, [%rd10+4];',
    'st.u32 [%rd10], %r0; ld.global.u32 %r10, [%rd10+4];',
    # Two threads write, even if they write the same.
    'st.shared.u32 [words], %r0;', 'mov.u32 %r10, 1; st.global.u32 [%rd0], %r10;',
    # A byte of the word that another thread reads.
    'st.shared.u8 [%r15+2], %r0; ld.shared.u32 %r10, [%r16];',
    'st.shared.u64 [words], %rd9;',
    # One of the two is atomic.
    'atom.shared.add.u32 %r10, [words], 1; ld.shared.u32 %r11, [words];',
    'red.global.add.u32 [%rd0], 1; st.global.u32 [%rd10], %r0;',
    # The barrier comes too late, or between other uses.
    'bar.sync 0; st.shared.u32 [%r15], %r0; ld.shared.u32 %r10, [%r16]; bar.sync 0;',
    'st.shared.u32 [%r15], %r0; bar.sync 0; ld.shared.u32 %r10, [%r16]; '
    'st.shared.u32 [%r15], %r10;',
    # A branch for one thread alone.
    'setp.eq.s32 %p1, %r12, 3; @%p1 st.shared.u32 [words], %r0; '
    'ld.shared.u32 %r10, [words];'])
def test_races_in_a_block(body):
    found = races(body)
    assert found
    assert all('threads race' in each for each in found)


@pytest.mark.parametrize('body', [
    'st.shared.u32 [%r15], %r0; ld.shared.u32 %r10, [%r15];',
    'st.shared.u32 [%r15], %r0; bar.sync 0; ld.shared.u32 %r10, [%r16];',
    'ld.shared.u32 %r10, [%r16]; bar.sync 0; st.shared.u32 [%r15], %r0;',
    'ld.shared.u32 %r10, [words]; ld.global.u32 %r11, [%rd0];',
    'red.shared.add.u32 [words], 1; atom.shared.add.u32 %r10, [words], 1;',
    'red.global.add.u32 [%rd0], 1;',
    # Bytes of their own, of one word.
    'add.s32 %r17, %r14, %r12; st.shared.u8 [%r17], %r0;',
    'setp.eq.s32 %p1, %r12, 3; @%p1 st.shared.u32 [words], %r0; bar.sync 0; '
    'ld.shared.u32 %r10, [words];',
    'red.shared.add.u32 [words], 1; bar.sync 0; ld.shared.u32 %r10, [words];',
    # Threads of one warp need no barrier of the block.
    'st.shared.u32 [%r15], %r0; bar.warp.sync -1; ld.shared.u32 %r10, [%r16];'])
def test_orders_that_are_no_races(body):
    assert races(body) == []


def test_barriers_of_a_warp_order_its_threads_alone():
    body = 'st.shared.u32 [%r15], %r0; bar.warp.sync -1; ld.shared.u32 %r10, [%r16];'
    assert races(body, block=32) == []
    assert races(body, block=40)


def test_values_of_other_lanes_order_nothing():
    assert races('st.shared.u32 [%r15], %r0; shfl.sync.bfly.b32 %r10, %r0, 1, 31, -1; '
                 'ld.shared.u32 %r10, [%r16];')


def test_loops_with_a_barrier_too_few():
    # A sum by halves; a second barrier is needed where a thread reads before it writes.
    loop = '''
        st.shared.u32 [%%r15], %%r12;
        bar.sync 0;
        mov.u32 %%r20, 4;
    AGAIN:
        setp.ge.u32 %%p1, %%r12, %s;
        @%%p1 bra NEXT;
        shl.b32 %%r21, %%r20, 2;
        add.s32 %%r21, %%r21, %%r15;
        ld.shared.u32 %%r22, [%%r21];
        ld.shared.u32 %%r23, [%%r15];
        add.s32 %%r23, %%r22, %%r23;
        st.shared.u32 [%%r15], %%r23;
    NEXT:
        %s
        shr.u32 %%r20, %%r20, 1;
        setp.gt.u32 %%p2, %%r20, 0;
        @%%p2 bra AGAIN;
        setp.eq.s32 %%p3, %%r12, 0;
        ld.shared.u32 %%r24, [%%r15];
        @%%p3 st.global.u32 [%%rd10], %%r24;
    '''
    out = np.zeros(9, 'u4')
    done = run(PLACES + loop % ('%r20', 'bar.sync 0;'), out, block=8, outside=SHARED)
    assert out[0] == 28
    assert done.races == []
    assert races(loop % ('%r20', ''))
    assert races(loop % ('8', 'bar.sync 0;'))


def test_blocks_race_whatever_barriers_they_have():
    body = 'bar.sync 0; st.global.u32 [%rd0], %r0; bar.sync 0;'
    assert races(body, block=1) == []
    assert races(body, block=1, grid=2)
    assert races('st.global.u32 [%rd10], %r0; bar.sync 0; '
                 'ld.global.u32 %r1, [%rd10+4];', block=4, grid=2)
    assert races('setp.eq.s32 %p1, %r12, 0; @%p1 st.global.u32 [%rd10], %r0; '
                 'bar.sync 0; ld.global.u32 %r1, [%rd10];', block=4, grid=2) == []


def test_blocks_that_run_in_turns_race_too(monkeypatch):
    monkeypatch.setattr(launch, 'WIDTH', 4)
    assert races('st.global.u32 [%rd10], %r0; ld.global.u32 %r1, [%rd10+4];', block=1,
                 grid=8)
    assert races('st.shared.u32 [%r15], %r0; ld.shared.u32 %r1, [%r15];', block=1,
                 grid=8) == []


def test_shared_memory_of_blocks_is_not_the_same():
    assert races('st.shared.u32 [%r15], %r0;', block=1, grid=4) == []


def test_memory_that_is_read_as_constant():
    assert races('ld.global.nc.u32 %r10, [%rd10]; st.global.u32 [%rd10], %r10;')
    assert races('ld.global.u32 %r10, [%rd10]; st.global.u32 [%rd10], %r10;') == []
    assert races('ld.global.nc.u32 %r10, [%rd10];') == []


def test_both_instructions_are_named():
    found = races('st.shared.u32 [%r15], %r0; ld.shared.u32 %r10, [%r16];')
    assert any('st.shared.u32 [%r15], %r0' in each and 'ld.shared.u32 %r10' in each
               for each in found)
