"""Static subgraphs: parts of a model whose graph is the same in every call."""
from chainer_fast.graph_optimizations.static_graph_utilities import (
    static_code as static_code,
)
