"""The compiled engine. It does not depend on classes above it, which register
themselves.

Read the packages in this order:

``configuration``
    Configuration and hooks of a thread.
``arrays``
    Queries of compiled code about NumPy arrays, and about the interpreter.
``devices``
    Kernels on a GPU.
``graphs``
    Variables, nodes, functions, and the application of a function.
``backward``
    Backpropagation through a graph.
``updates``
    Update rules, hooks, and the loop over the parameters of a link.

``kinds.py`` has the kinds of arrays.
"""
