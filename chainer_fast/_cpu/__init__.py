"""Basics of loops, independent of arrays: threads, vectors, halves, reused memory.

Read in this order: ``processor.hpp`` (what the processor can do), ``element.hpp`` (the
language of the arithmetic of one element), ``loops.hpp`` (loops over contiguous
numbers) with ``lanes.hpp`` (vectors by hand), ``half.hpp`` and ``half_loops.hpp`` (half
precision), ``parallel.hpp`` (loops shared among threads) with ``pool.hpp`` (the
threads), ``buffer.hpp`` and ``aligned.hpp`` (memory), ``denormals.hpp`` (tiny numbers).
``shared.pyx`` has the state that all modules of a process share.
"""
