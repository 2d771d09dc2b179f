"""Control flow, barriers, calls, and lanes that exchange values."""
import numpy as np
import pytest

from tests.doubles.ptx import launch, memory, text, threads
from tests.doubles.ptx.faults import Fault, Unknown
from tests.doubles.ptx_tests.programs import BASE, HEAD, STORE, run


def test_threads_part_and_meet():
    out = np.zeros(8, 'u4')
    run('''
        mov.u32 %r10, 0;
        and.b32 %r11, %r0, 1;
        setp.eq.s32 %p1, %r11, 1;
        @%p1 bra ODD;
        add.s32 %r10, %r10, 100;
        bra.uni JOIN;
    ODD:
        add.s32 %r10, %r10, 200;
    JOIN:
        add.s32 %r10, %r10, %r0;
        ''' + STORE, out)
    assert out.tolist() == [100, 201, 102, 203, 104, 205, 106, 207]


def test_loops_of_different_lengths():
    out = np.zeros(8, 'u4')
    done = run('''
        mov.u32 %r10, 0;
        mov.u32 %r11, 0;
    AGAIN:
        setp.ge.u32 %p1, %r11, %r0;
        @%p1 bra DONE;
        add.s32 %r11, %r11, 1;
        add.s32 %r10, %r10, %r11;
        bra AGAIN;
    DONE:
        ''' + STORE, out)
    assert out.tolist() == [n * (n + 1) // 2 for n in range(8)]
    assert done.steps > 40


def test_guards():
    out = np.zeros(6, 'u4')
    run('''
        mov.u32 %r10, 7;
        setp.lt.u32 %p1, %r0, 2;
        @%p1 mov.u32 %r10, 1;
        setp.gt.u32 %p2, %r0, 3;
        @!%p2 add.s32 %r10, %r10, 100;
        setp.eq.u32 %p3, %r0, 77;
        @%p3 mov.u32 %r10, 5;
        @%p2 ret;
        ''' + STORE, out)
    assert out.tolist() == [101, 101, 107, 107, 0, 0]


def test_indexed_branches():
    out = np.zeros(6, 'u4')
    body = '''
        rem.u32 %%r11, %%r0, %d;
        brx.idx %%r11, TABLE;
    TABLE: .branchtargets A, B, C;
    A:  mov.u32 %%r10, 10; bra.uni JOIN;
    B:  mov.u32 %%r10, 20; bra.uni JOIN;
    C:  mov.u32 %%r10, 30;
    JOIN:
        ''' + STORE.replace('%', '%%')
    run(body % 3, out)
    assert out.tolist() == [10, 20, 30] * 2
    with pytest.raises(Fault, match='no target 3'):
        run(body % 4, out)


def test_loops_without_end(monkeypatch):
    monkeypatch.setattr(threads, 'MOST_STEPS', 1000)
    with pytest.raises(Fault, match='without end'):
        run('AGAIN: bra AGAIN;', np.zeros(1, 'u4'))


def test_registers_that_nothing_was_written_to():
    with pytest.raises(Fault, match='no thread has written to %r10'):
        run(STORE, np.zeros(1, 'u4'))


def test_special_registers():
    out = np.zeros((6, 4, 13), 'u4')
    program = HEAD + '''
    .visible .entry program(.param .u64 p)
    {
        .reg .b32 %r<30>; .reg .b64 %rd<9>;
        ld.param.u64 %rd1, [p];
        mov.u32 %r1, %tid.x; mov.u32 %r2, %tid.y; mov.u32 %r3, %tid.z;
        mov.u32 %r4, %ntid.x; mov.u32 %r5, %ntid.y; mov.u32 %r6, %ntid.z;
        mov.u32 %r7, %ctaid.x; mov.u32 %r8, %ctaid.y; mov.u32 %r9, %ctaid.z;
        mov.u32 %r10, %nctaid.x; mov.u32 %r11, %nctaid.y; mov.u32 %r12, %nctaid.z;
        mov.u32 %r13, %laneid;
        mad.lo.s32 %r20, %r9, %r11, %r8; mad.lo.s32 %r20, %r20, %r10, %r7;
        mad.lo.s32 %r21, %r3, %r5, %r2; mad.lo.s32 %r21, %r21, %r4, %r1;
        mad.lo.s32 %r20, %r20, 4, %r21;
        mad.wide.u32 %rd2, %r20, 52, %rd1;
        ''' + '\n'.join('st.global.u32 [%%rd2+%d], %%r%d;' % (4 * i, i + 1)
                        for i in range(13)) + '\nret; }'
    region = memory.Region(BASE, out.tobytes())
    launch.Kernel(text.Module(program)).launch(
        (3, 1, 2), (2, 1, 2), [BASE.to_bytes(8, 'little')], [region])
    out = region.data.view('u4').reshape(out.shape)
    for b in range(6):
        for t in range(4):
            assert out[b, t].tolist() == [
                t % 2, 0, t // 2, 2, 1, 2, b % 3, 0, b // 3, 3, 1, 2, t]


SHARED = '.shared .align 4 .b8 words[256];\n'
REVERSE = '''
    mov.u32 %r12, %tid.x;
    shl.b32 %r13, %r12, 2;
    mov.u32 %r14, words;
    add.s32 %r15, %r14, %r13;
    st.shared.u32 [%r15], %r0;
    BARRIER
    mov.u32 %r16, %ntid.x;
    sub.s32 %r16, %r16, %r12;
    shl.b32 %r16, %r16, 2;
    add.s32 %r16, %r14, %r16;
    ld.shared.u32 %r10, [%r16+-4];
'''


def test_barriers():
    out = np.zeros((3, 40), 'u4')
    done = run(REVERSE.replace('BARRIER', 'bar.sync 0;') + STORE, out, grid=3, block=40,
               outside=SHARED)
    assert (out == np.arange(120).reshape(3, 40)[:, ::-1]).all()
    assert not done.races


def test_barriers_that_threads_reach_at_different_times():
    out = np.zeros((2, 40), 'u4')
    done = run('''
        and.b32 %r20, %r0, 7;
    AGAIN:
        setp.eq.s32 %p1, %r20, 0;
        @%p1 bra READY;
        sub.s32 %r20, %r20, 1;
        bra AGAIN;
    READY:
        ''' + REVERSE.replace('BARRIER', 'bar.sync 0;') + STORE, out, grid=2, block=40,
        outside=SHARED)
    assert (out == np.arange(80).reshape(2, 40)[:, ::-1]).all()
    assert not done.races


def test_threads_that_have_ended_are_not_waited_for():
    out = np.zeros(8, 'u4')
    run('setp.gt.u32 %p1, %r0, 4;\n@%p1 ret;\nbar.sync 0;\nmov.u32 %r10, 3;' + STORE,
        out)
    assert out.tolist() == [3] * 5 + [0] * 3


@pytest.mark.parametrize('body', [
    # Two barriers, each for half of the block.
    '''@%p1 bra LOW;
       bar.sync 0;
       bra JOIN;
    LOW:
       bar.sync 0;
    JOIN:''',
    # A loop of another length for each thread.
    '''mov.u32 %r20, 0;
    AGAIN:
       bar.warp.sync -1;
       add.s32 %r20, %r20, 1;
       setp.le.u32 %p2, %r20, %r0;
       @%p2 bra AGAIN;
       bra.uni NEXT;
    NEXT:
       @%p1 bra LOW;
       bar.warp.sync -1;
    LOW:'''])
def test_threads_that_wait_for_others_that_do_not_come(body):
    with pytest.raises(Fault, match='do not come'):
        run('setp.lt.u32 %p1, %r0, 4;\n' + body, np.zeros(8, 'u4'))


def test_barriers_that_count():
    for what, kind, expected in (('popc', 'u32', [3] * 8), ('or', 'pred', [1] * 8),
                                 ('and', 'pred', [0] * 8)):
        out = np.zeros((1, 8), 'u4')
        target = '%r10' if kind == 'u32' else '%p2'
        run('''
            setp.lt.u32 %%p1, %%r0, 3;
            bar.red.%s.%s %s, 0, %%p1;
            %s
            ''' % (what, kind, target,
                   '' if kind == 'u32' else 'selp.u32 %r10, 1, 0, %p2;') + STORE,
            out, block=8)
        assert out[0].tolist() == expected


FUNCTIONS = '''
.func (.param .b32 result) scaled(.param .b32 x, .param .b64 at)
{
    .reg .b32 %r<5>; .reg .b64 %rd<3>; .reg .pred %p<2>;
    .local .align 4 .b8 own[4];
    ld.param.u32 %r1, [x];
    ld.param.u64 %rd1, [at];
    ld.u32 %r2, [%rd1];
    setp.gt.u32 %p1, %r1, 2;
    @%p1 bra LARGE;
    st.local.u32 [own], %r1;
    ld.local.u32 %r3, [own];
    mul.lo.s32 %r3, %r3, %r2;
    st.param.b32 [result], %r3;
    ret;
LARGE:
    mov.u32 %r3, 99;
    st.param.b32 [result+0], %r3;
    ret;
}
'''
CALL = '''
    .local .align 4 .b8 factor[4];
    mov.u64 %rd20, factor;
    cvta.local.u64 %rd20, %rd20;
    add.s32 %r11, %r0, 10;
    st.u32 [%rd20], %r11;
    mov.u32 %r10, 7;
    setp.eq.u32 %p1, %r0, 1;
    @%p1 bra SKIP;
    {
        .param .b32 first; .param .b64 second; .param .b32 back;
        st.param.b32 [first+0], %r0;
        st.param.b64 [second+0], %rd20;
        call.uni (back), scaled, (first, second);
        ld.param.b32 %r10, [back+0];
    }
    SKIP:
'''


def test_calls_of_functions():
    out = np.zeros(4, 'u4')
    run(CALL + STORE, out, outside=FUNCTIONS)
    assert out.tolist() == [0, 7, 24, 99]


@pytest.mark.parametrize('line, replacement', [
    ('(first, second)', '(first)'), ('scaled, (', 'missing, ('),
    ('call.uni (back), ', 'call.uni ')])
def test_calls_that_do_not_fit(line, replacement):
    with pytest.raises(Unknown):
        run(CALL.replace(line, replacement) + STORE, np.zeros(4, 'u4'),
            outside=FUNCTIONS)


def test_arguments_of_another_size():
    with pytest.raises(Fault, match='has 8 bytes, not 4'):
        run(CALL.replace('.param .b32 first', '.param .b64 first').replace(
            'st.param.b32 [first+0], %r0', 'st.param.b64 [first+0], %rd9') + STORE,
            np.zeros(4, 'u4'), outside=FUNCTIONS)


def test_assertions():
    with pytest.raises(Fault, match='assertion'):
        run('{ call.uni __assertfail, (); }', np.zeros(1, 'u4'),
            outside='.extern .func __assertfail ();\n')
    with pytest.raises(Fault, match='trap'):
        run('trap;', np.zeros(1, 'u4'))


def test_many_blocks_run_in_turns(monkeypatch):
    monkeypatch.setattr(launch, 'WIDTH', 64)
    out = np.zeros((10, 20), 'u4')
    run(REVERSE.replace('BARRIER', 'bar.sync 0;') + STORE, out, grid=10, block=20,
        outside=SHARED)
    assert (out == np.arange(200).reshape(10, 20)[:, ::-1]).all()


@pytest.mark.parametrize('instruction', [
    'bar.sync 1;', 'bar.sync 0, 32;', 'bar.arrive 0, 32;',
    'shfl.down.b32 %r1, %r0, 1, 31;', 'shfl.sync.down.u32 %r1, %r0, 1, 31, -1;',
    'vote.ballot.b32 %r1, %p1;', 'vote.sync.ballot.pred %p1, %p1, -1;', 'bra NOWHERE;',
    'exit.uni 1;', 'match.any.sync.b32 %r1, %r0, -1;', 'membar;',
    'brx.idx %r0, NOWHERE;', 'call somewhere;'])
def test_unknown_instructions_are_refused(instruction):
    with pytest.raises(Unknown):
        run(instruction, np.zeros(1, 'u4'))
