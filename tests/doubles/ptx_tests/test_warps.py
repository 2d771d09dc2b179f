"""Lanes of a warp that exchange values."""
import numpy as np
import pytest

from tests.doubles.ptx.faults import Fault
from tests.doubles.ptx_tests.programs import STORE, run

LANE = np.arange(64) % 32


@pytest.mark.parametrize('how, by, clamp, expected', [
    ('bfly', 5, 31, LANE ^ 5), ('down', 3, 31, np.where(LANE + 3 > 31, LANE, LANE + 3)),
    ('up', 3, 0, np.where(LANE < 3, LANE, LANE - 3)), ('idx', 7, 31, LANE * 0 + 7),
    # Of segments of eight lanes.
    ('idx', 2, 0x181f, LANE // 8 * 8 + 2),
    ('down', 3, 0x181f, np.where(LANE % 8 + 3 > 7, LANE, LANE + 3)),
    ('up', 3, 0x1800, np.where(LANE % 8 < 3, LANE, LANE - 3))])
def test_values_of_other_lanes(how, by, clamp, expected):
    out = np.zeros(64, 'u4')
    run('shfl.sync.%s.b32 %%r10|%%p1, %%r0, %d, %d, -1;' % (how, by, clamp)
        + STORE, out)
    assert (out == expected + np.arange(64) // 32 * 32).all()
    run('shfl.sync.%s.b32 %%r10|%%p1, %%r0, %d, %d, -1;\nselp.u32 %%r10, 1, 0, %%p1;'
        % (how, by, clamp) + STORE, out)
    same = expected == LANE
    if how in ('down', 'up'):
        assert (out == ~same).all()
    else:
        assert out.all()


def test_lanes_that_take_no_part():
    with pytest.raises(Fault, match='takes no part'):
        run('shfl.sync.idx.b32 %r10, %r0, 9, 31, 255;', np.zeros(8, 'u4'))
    with pytest.raises(Fault, match='does not name'):
        run('shfl.sync.idx.b32 %r10, %r0, 1, 31, 127;', np.zeros(8, 'u4'))
    with pytest.raises(Fault, match='do not come'):
        run('setp.gt.u32 %p1, %r0, 3;\n@%p1 ret;\n'
            'shfl.sync.idx.b32 %r10, %r0, 1, 31, 255;', np.zeros(8, 'u4'))


@pytest.mark.parametrize('instruction, expected', [
    ('vote.sync.ballot.b32 %r10, %p1, -1;', [0b111] * 32 + [0] * 8),
    ('vote.sync.any.pred %p2, %p1, -1;', [1] * 32 + [0] * 8),
    ('vote.sync.all.pred %p2, %p1, -1;', [0] * 40),
    ('vote.sync.uni.pred %p2, %p1, -1;', [0] * 32 + [1] * 8),
    ('activemask.b32 %r10;', [0xffffffff] * 32 + [255] * 8),
    ('redux.sync.add.u32 %r10, %r0, -1;', [496] * 32 + [sum(range(32, 40))] * 8),
    ('redux.sync.max.s32 %r10, %r0, -1;', [31] * 32 + [39] * 8),
    ('redux.sync.min.u32 %r10, %r0, -1;', [0] * 32 + [32] * 8)])
def test_lanes_together(instruction, expected):
    out = np.zeros(40, 'u4')
    run('setp.lt.u32 %p1, %r0, 3;\n' + instruction + (
        '\nselp.u32 %r10, 1, 0, %p2;' if '%p2' in instruction else '') + STORE, out)
    assert out.tolist() == expected
