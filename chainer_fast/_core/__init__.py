"""The compiled engine. It knows no class above it; those introduce themselves.

A newcomer reads the rooms in this order:

``configuration``
    What a thread has set, and its hooks.
``arrays``
    What compiled code asks of arrays of NumPy, and of the interpreter.
``devices``
    Kernels on a GPU.
``graphs``
    Variables, nodes, functions, and how a function is applied.
``backward``
    The way back through a graph.
``updates``
    Update rules, hooks, and the loop over the parameters of a link.

``kinds.py`` has the kinds of arrays that there are.
"""
