"""Links: parameterized functions, and models composed of them, usually ``L``."""
from chainer_fast.links.activation.maxout import Maxout
from chainer_fast.links.activation.prelu import PReLU
from chainer_fast.links.activation.simplified_dropconnect import SimplifiedDropconnect
from chainer_fast.links.activation.swish import Swish
from chainer_fast.links.connection.bias import Bias
from chainer_fast.links.connection.bilinear import Bilinear
from chainer_fast.links.connection.convolution_2d import Convolution2D
from chainer_fast.links.connection.convolution_nd import (
    Convolution1D,
    Convolution3D,
    ConvolutionND,
)
from chainer_fast.links.connection.deconvolution_2d import Deconvolution2D
from chainer_fast.links.connection.deconvolution_nd import (
    Deconvolution1D,
    Deconvolution3D,
    DeconvolutionND,
)
from chainer_fast.links.connection.deformable_convolution_2d import (
    DeformableConvolution2D,
)
from chainer_fast.links.connection.depthwise_convolution_2d import (
    DepthwiseConvolution2D,
)
from chainer_fast.links.connection.dilated_convolution_2d import DilatedConvolution2D
from chainer_fast.links.connection.embed_id import EmbedID
from chainer_fast.links.connection.highway import Highway
from chainer_fast.links.connection.inception import Inception
from chainer_fast.links.connection.inceptionbn import InceptionBN
from chainer_fast.links.connection.linear import Linear
from chainer_fast.links.connection.local_convolution_2d import LocalConvolution2D
from chainer_fast.links.connection.mlp_convolution_2d import MLPConvolution2D
from chainer_fast.links.connection.parameter import Parameter
from chainer_fast.links.connection.scale import Scale
from chainer_fast.links.loss.black_out import BlackOut
from chainer_fast.links.loss.crf1d import CRF1d
from chainer_fast.links.loss.hierarchical_softmax import BinaryHierarchicalSoftmax
from chainer_fast.links.loss.negative_sampling import NegativeSampling
from chainer_fast.links.model.classifier import Classifier
from chainer_fast.links.model.vision.googlenet import GoogLeNet
from chainer_fast.links.model.vision.resnet import (
    ResNet50Layers,
    ResNet101Layers,
    ResNet152Layers,
)
from chainer_fast.links.model.vision.vgg import VGG16Layers, VGG19Layers
from chainer_fast.links.normalization.batch_normalization import BatchNormalization
from chainer_fast.links.normalization.batch_renormalization import BatchRenormalization
from chainer_fast.links.normalization.decorrelated_batch_normalization import (
    DecorrelatedBatchNormalization,
)
from chainer_fast.links.normalization.group_normalization import GroupNormalization
from chainer_fast.links.normalization.layer_normalization import LayerNormalization
from chainer_fast.links.rnn.gru import GRU, StatefulGRU, StatelessGRU
from chainer_fast.links.rnn.lstm import LSTM, StatelessLSTM
from chainer_fast.links.rnn.mgu import StatefulMGU, StatelessMGU
from chainer_fast.links.rnn.n_step_gru import NStepBiGRU, NStepGRU
from chainer_fast.links.rnn.n_step_lstm import NStepBiLSTM, NStepLSTM
from chainer_fast.links.rnn.n_step_rnn import (
    NStepBiRNNReLU,
    NStepBiRNNTanh,
    NStepRNNReLU,
    NStepRNNTanh,
)
from chainer_fast.links.rnn.peephole import StatefulPeepholeLSTM
from chainer_fast.links.rnn.tree_lstm import ChildSumTreeLSTM, NaryTreeLSTM
from chainer_fast.links.rnn.zoneoutlstm import StatefulZoneoutLSTM
from chainer_fast.links.theano.theano_function import TheanoFunction
