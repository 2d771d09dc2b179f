"""What any loop needs and no array does: threads, vectors, halves, memory that is kept.

Read in this order: ``processor.hpp`` (what the processor can do), ``element.hpp`` (the
language of the arithmetic of one element), ``loops.hpp`` (loops over contiguous
numbers) with ``lanes.hpp`` (vectors by hand), ``half.hpp`` and ``half_loops.hpp`` (half
precision), ``parallel.hpp`` (a loop shared among threads) with ``pool.hpp`` (the
threads), ``buffer.hpp`` and ``aligned.hpp`` (memory), ``denormals.hpp`` (tiny numbers).
``shared.pyx`` has what all modules of a process share.
"""
