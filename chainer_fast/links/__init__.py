"""Links: parameterized functions, and models composed of them, usually ``L``."""
from chainer_fast.links.activation.maxout import Maxout as Maxout
from chainer_fast.links.activation.prelu import PReLU as PReLU
from chainer_fast.links.activation.simplified_dropconnect import (
    SimplifiedDropconnect as SimplifiedDropconnect,
)
from chainer_fast.links.activation.swish import Swish as Swish
from chainer_fast.links.connection.bias import Bias as Bias
from chainer_fast.links.connection.bilinear import Bilinear as Bilinear
from chainer_fast.links.connection.convolution_2d import Convolution2D as Convolution2D
from chainer_fast.links.connection.convolution_nd import (
    Convolution1D as Convolution1D,
    Convolution3D as Convolution3D,
    ConvolutionND as ConvolutionND,
)
from chainer_fast.links.connection.deconvolution_2d import (
    Deconvolution2D as Deconvolution2D,
)
from chainer_fast.links.connection.deconvolution_nd import (
    Deconvolution1D as Deconvolution1D,
    Deconvolution3D as Deconvolution3D,
    DeconvolutionND as DeconvolutionND,
)
from chainer_fast.links.connection.deformable_convolution_2d import (
    DeformableConvolution2D as DeformableConvolution2D,
)
from chainer_fast.links.connection.depthwise_convolution_2d import (
    DepthwiseConvolution2D as DepthwiseConvolution2D,
)
from chainer_fast.links.connection.dilated_convolution_2d import (
    DilatedConvolution2D as DilatedConvolution2D,
)
from chainer_fast.links.connection.embed_id import EmbedID as EmbedID
from chainer_fast.links.connection.highway import Highway as Highway
from chainer_fast.links.connection.inception import Inception as Inception
from chainer_fast.links.connection.inceptionbn import InceptionBN as InceptionBN
from chainer_fast.links.connection.linear import Linear as Linear
from chainer_fast.links.connection.local_convolution_2d import (
    LocalConvolution2D as LocalConvolution2D,
)
from chainer_fast.links.connection.mlp_convolution_2d import (
    MLPConvolution2D as MLPConvolution2D,
)
from chainer_fast.links.connection.multi_head_attention import (
    MultiHeadAttention as MultiHeadAttention,
)
from chainer_fast.links.connection.parameter import Parameter as Parameter
from chainer_fast.links.connection.scale import Scale as Scale
from chainer_fast.links.loss.black_out import BlackOut as BlackOut
from chainer_fast.links.loss.crf1d import CRF1d as CRF1d
from chainer_fast.links.loss.hierarchical_softmax import (
    BinaryHierarchicalSoftmax as BinaryHierarchicalSoftmax,
)
from chainer_fast.links.loss.negative_sampling import (
    NegativeSampling as NegativeSampling,
)
from chainer_fast.links.model.classifier import Classifier as Classifier
from chainer_fast.links.model.vision.googlenet import GoogLeNet as GoogLeNet
from chainer_fast.links.model.vision.resnet import (
    ResNet50Layers as ResNet50Layers,
    ResNet101Layers as ResNet101Layers,
    ResNet152Layers as ResNet152Layers,
)
from chainer_fast.links.model.vision.vgg import (
    VGG16Layers as VGG16Layers,
    VGG19Layers as VGG19Layers,
)
from chainer_fast.links.normalization.batch_normalization import (
    BatchNormalization as BatchNormalization,
)
from chainer_fast.links.normalization.batch_renormalization import (
    BatchRenormalization as BatchRenormalization,
)
from chainer_fast.links.normalization.decorrelated_batch_normalization import (
    DecorrelatedBatchNormalization as DecorrelatedBatchNormalization,
)
from chainer_fast.links.normalization.group_normalization import (
    GroupNormalization as GroupNormalization,
)
from chainer_fast.links.normalization.layer_normalization import (
    LayerNormalization as LayerNormalization,
)
from chainer_fast.links.rnn.gru import (
    GRU as GRU,
    StatefulGRU as StatefulGRU,
    StatelessGRU as StatelessGRU,
)
from chainer_fast.links.rnn.lstm import LSTM as LSTM, StatelessLSTM as StatelessLSTM
from chainer_fast.links.rnn.mgu import (
    StatefulMGU as StatefulMGU,
    StatelessMGU as StatelessMGU,
)
from chainer_fast.links.rnn.n_step_gru import (
    NStepBiGRU as NStepBiGRU,
    NStepGRU as NStepGRU,
)
from chainer_fast.links.rnn.n_step_lstm import (
    NStepBiLSTM as NStepBiLSTM,
    NStepLSTM as NStepLSTM,
)
from chainer_fast.links.rnn.n_step_rnn import (
    NStepBiRNNReLU as NStepBiRNNReLU,
    NStepBiRNNTanh as NStepBiRNNTanh,
    NStepRNNReLU as NStepRNNReLU,
    NStepRNNTanh as NStepRNNTanh,
)
from chainer_fast.links.rnn.peephole import StatefulPeepholeLSTM as StatefulPeepholeLSTM
from chainer_fast.links.rnn.tree_lstm import (
    ChildSumTreeLSTM as ChildSumTreeLSTM,
    NaryTreeLSTM as NaryTreeLSTM,
)
from chainer_fast.links.rnn.zoneoutlstm import (
    StatefulZoneoutLSTM as StatefulZoneoutLSTM,
)
from chainer_fast.links.theano.theano_function import TheanoFunction as TheanoFunction
