"""Order in which functions are visited."""
import gc
import weakref

import pytest
from hypothesis import given
from hypothesis import strategies as st

import chainer_fast
from chainer_fast._core.backward import backprop

CandidateHeap = backprop.CandidateHeap


def functions(ranks):
    made = []
    for rank in ranks:
        function = chainer_fast.FunctionNode()
        function.rank = rank
        made.append(function)
    return made


def drain(heap):
    return [heap.take() for _ in range(len(heap))]


@given(st.lists(st.integers(0, 5), max_size=200))
def test_highest_rank_first_then_order_of_insertion(ranks):
    heap = CandidateHeap()
    made = functions(ranks)
    for function in made:
        heap.add(function)
    assert drain(heap) == sorted(made, key=lambda function: -function.rank)


@given(st.lists(st.tuples(st.integers(0, 30), st.booleans()), max_size=100))
def test_like_a_sorted_list_that_takes_each_function_once(steps):
    # A function may be added again and again, also after it has been taken.
    made = functions([i % 7 for i in range(31)])
    heap = CandidateHeap()
    waiting, seen = [], []
    for i, take in steps:
        heap.add(made[i])
        if made[i] not in seen:
            seen.append(made[i])
            waiting.append(made[i])
        assert len(heap) == len(waiting)
        if take and waiting:
            first = max(waiting, key=lambda f: (f.rank, -seen.index(f)))
            waiting.remove(first)
            assert heap.take() is first
    assert len(drain(heap)) == len(waiting)


def test_growth():
    made = functions(range(5000))
    heap = CandidateHeap()
    for function in made + made:
        heap.add(function)
    assert drain(heap) == made[::-1]


def test_nothing_left():
    heap = CandidateHeap()
    with pytest.raises(IndexError, match='no candidate'):
        heap.take()
    heap.add(chainer_fast.FunctionNode())
    heap.take()
    with pytest.raises(IndexError):
        heap.take()


def test_only_functions():
    with pytest.raises(TypeError):
        CandidateHeap().add(None)
    with pytest.raises(TypeError):
        CandidateHeap().add(3)


def test_functions_are_held_until_the_end():
    # The address of a function that was freed could be that of a new one.
    gc.disable()
    try:
        heap = CandidateHeap()
        function, = functions([1])
        reference = weakref.ref(function)
        heap.add(function)
        assert heap.take() is function
        del function
        assert reference() is not None
        del heap
        assert reference() is None
    finally:
        gc.enable()
