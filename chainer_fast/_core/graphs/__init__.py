"""Graphs: variables, nodes and functions (``graph``), and calls of links (``links``).

``graph.pyx`` is one module of many parts. The first to read are ``_nodes.pxi``,
``_variables.pxi`` and ``_functions.pxi``, then ``_shortcuts.pxi``, the short way to
apply a function, and ``_gradients.pxi``, the kinds of gradients.
"""
