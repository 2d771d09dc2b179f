"""Links: parameterized functions, and models composed of them."""
from chainer_fast.links.connection.bias import Bias
from chainer_fast.links.connection.embed_id import EmbedID
from chainer_fast.links.connection.linear import Linear
from chainer_fast.links.connection.parameter import Parameter
from chainer_fast.links.connection.scale import Scale
from chainer_fast.links.model.classifier import Classifier
from chainer_fast.links.normalization.batch_normalization import BatchNormalization
