"""The way back through a graph: one loop (``backprop``), its errors (``grad_check``).

Parts of ``backprop.pyx`` are the order of functions (``_heap.pxi``) and the gradients
of nodes (``_grad_table.pxi``).
"""
