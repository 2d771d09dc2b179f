"""Static subgraphs: parts of a model that compute the same way in every call."""
from chainer_fast.graph_optimizations.static_graph_utilities import static_code
