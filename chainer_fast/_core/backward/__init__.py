"""The way back through a graph: one loop (``backprop``), its errors (``grad_check``).

Parts of ``backprop.pyx``, in the order in which they build on each other, are the order
of functions (``_heap.pxi``), the gradients of nodes (``_grad_table.pxi``), those of one
function (``_one_function.pxi``) and the loop (``_traversal.pxi``).
"""
