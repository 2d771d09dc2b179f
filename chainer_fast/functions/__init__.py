"""The differentiable functions, usually imported as ``F``."""
from chainer_fast.functions.activation.clipped_relu import (
    clipped_relu as clipped_relu,
    relu6 as relu6,
)
from chainer_fast.functions.activation.crelu import crelu as crelu
from chainer_fast.functions.activation.elu import elu as elu
from chainer_fast.functions.activation.hard_sigmoid import hard_sigmoid as hard_sigmoid
from chainer_fast.functions.activation.leaky_relu import leaky_relu as leaky_relu
from chainer_fast.functions.activation.log_softmax import log_softmax as log_softmax
from chainer_fast.functions.activation.maxout import maxout as maxout
from chainer_fast.functions.activation.mish import mish as mish
from chainer_fast.functions.activation.prelu import prelu as prelu
from chainer_fast.functions.activation.relu import relu as relu
from chainer_fast.functions.activation.rrelu import rrelu as rrelu
from chainer_fast.functions.activation.selu import selu as selu
from chainer_fast.functions.activation.sigmoid import sigmoid as sigmoid
from chainer_fast.functions.activation.softmax import softmax as softmax
from chainer_fast.functions.activation.softplus import softplus as softplus
from chainer_fast.functions.activation.swish import swish as swish
from chainer_fast.functions.activation.tanh import tanh as tanh
from chainer_fast.functions.array.as_strided import as_strided as as_strided
from chainer_fast.functions.array.broadcast import (
    broadcast as broadcast,
    broadcast_to as broadcast_to,
)
from chainer_fast.functions.array.cast import cast as cast
from chainer_fast.functions.array.concat import concat as concat
from chainer_fast.functions.array.copy import copy as copy
from chainer_fast.functions.array.depth2space import depth2space as depth2space
from chainer_fast.functions.array.diagonal import diagonal as diagonal
from chainer_fast.functions.array.dstack import dstack as dstack
from chainer_fast.functions.array.expand_dims import expand_dims as expand_dims
from chainer_fast.functions.array.flatten import flatten as flatten
from chainer_fast.functions.array.flip import flip as flip
from chainer_fast.functions.array.fliplr import fliplr as fliplr
from chainer_fast.functions.array.flipud import flipud as flipud
from chainer_fast.functions.array.get_item import get_item as get_item
from chainer_fast.functions.array.hstack import hstack as hstack
from chainer_fast.functions.array.im2col import im2col as im2col
from chainer_fast.functions.array.moveaxis import moveaxis as moveaxis
from chainer_fast.functions.array.pad import pad as pad
from chainer_fast.functions.array.pad_sequence import pad_sequence as pad_sequence
from chainer_fast.functions.array.permutate import permutate as permutate
from chainer_fast.functions.array.repeat import repeat as repeat
from chainer_fast.functions.array.reshape import reshape as reshape
from chainer_fast.functions.array.resize_images import resize_images as resize_images
from chainer_fast.functions.array.rollaxis import rollaxis as rollaxis
from chainer_fast.functions.array.scatter_add import scatter_add as scatter_add
from chainer_fast.functions.array.select_item import select_item as select_item
from chainer_fast.functions.array.separate import separate as separate
from chainer_fast.functions.array.space2depth import space2depth as space2depth
from chainer_fast.functions.array.spatial_transformer_grid import (
    spatial_transformer_grid as spatial_transformer_grid,
)
from chainer_fast.functions.array.spatial_transformer_sampler import (
    spatial_transformer_sampler as spatial_transformer_sampler,
)
from chainer_fast.functions.array.split_axis import split_axis as split_axis
from chainer_fast.functions.array.squeeze import squeeze as squeeze
from chainer_fast.functions.array.stack import stack as stack
from chainer_fast.functions.array.swapaxes import swapaxes as swapaxes
from chainer_fast.functions.array.tile import tile as tile
from chainer_fast.functions.array.transpose import transpose as transpose
from chainer_fast.functions.array.transpose_sequence import (
    transpose_sequence as transpose_sequence,
)
from chainer_fast.functions.array.vstack import vstack as vstack
from chainer_fast.functions.array.where import where as where
from chainer_fast.functions.connection.bilinear import bilinear as bilinear
from chainer_fast.functions.connection.convolution_2d import (
    convolution_2d as convolution_2d,
)
from chainer_fast.functions.connection.convolution_nd import (
    convolution_1d as convolution_1d,
    convolution_3d as convolution_3d,
    convolution_nd as convolution_nd,
)
from chainer_fast.functions.connection.deconvolution_2d import (
    deconvolution_2d as deconvolution_2d,
)
from chainer_fast.functions.connection.deconvolution_nd import (
    deconvolution_1d as deconvolution_1d,
    deconvolution_3d as deconvolution_3d,
    deconvolution_nd as deconvolution_nd,
)
from chainer_fast.functions.connection.deformable_convolution_2d_sampler import (
    deformable_convolution_2d_sampler as deformable_convolution_2d_sampler,
)
from chainer_fast.functions.connection.depthwise_convolution_2d import (
    depthwise_convolution_2d as depthwise_convolution_2d,
)
from chainer_fast.functions.connection.dilated_convolution_2d import (
    dilated_convolution_2d as dilated_convolution_2d,
)
from chainer_fast.functions.connection.embed_id import embed_id as embed_id
from chainer_fast.functions.connection.linear import linear as linear
from chainer_fast.functions.connection.local_convolution_2d import (
    local_convolution_2d as local_convolution_2d,
)
from chainer_fast.functions.connection.shift import shift as shift
from chainer_fast.functions.evaluation.accuracy import accuracy as accuracy
from chainer_fast.functions.evaluation.binary_accuracy import (
    binary_accuracy as binary_accuracy,
)
from chainer_fast.functions.evaluation.classification_summary import (
    classification_summary as classification_summary,
    f1_score as f1_score,
    precision as precision,
    recall as recall,
)
from chainer_fast.functions.evaluation.r2_score import r2_score as r2_score
from chainer_fast.functions.loss.absolute_error import absolute_error as absolute_error
from chainer_fast.functions.loss.black_out import black_out as black_out
from chainer_fast.functions.loss.contrastive import contrastive as contrastive
from chainer_fast.functions.loss.crf1d import (
    argmax_crf1d as argmax_crf1d,
    crf1d as crf1d,
)
from chainer_fast.functions.loss.cross_covariance import (
    cross_covariance as cross_covariance,
)
from chainer_fast.functions.loss.ctc import (
    connectionist_temporal_classification as connectionist_temporal_classification,
)
from chainer_fast.functions.loss.decov import decov as decov
from chainer_fast.functions.loss.discriminative_loss import (
    discriminative_margin_based_clustering_loss as discriminative_margin_based_clustering_loss,  # noqa: E501
)
from chainer_fast.functions.loss.hinge import hinge as hinge
from chainer_fast.functions.loss.huber_loss import huber_loss as huber_loss
from chainer_fast.functions.loss.mean_absolute_error import (
    mean_absolute_error as mean_absolute_error,
)
from chainer_fast.functions.loss.mean_squared_error import (
    mean_squared_error as mean_squared_error,
)
from chainer_fast.functions.loss.negative_sampling import (
    negative_sampling as negative_sampling,
)
from chainer_fast.functions.loss.sigmoid_cross_entropy import (
    sigmoid_cross_entropy as sigmoid_cross_entropy,
)
from chainer_fast.functions.loss.softmax_cross_entropy import (
    softmax_cross_entropy as softmax_cross_entropy,
)
from chainer_fast.functions.loss.squared_error import (
    squared_difference as squared_difference,
    squared_error as squared_error,
)
from chainer_fast.functions.loss.triplet import triplet as triplet
from chainer_fast.functions.loss.vae import (
    bernoulli_nll as bernoulli_nll,
    gaussian_kl_divergence as gaussian_kl_divergence,
    gaussian_nll as gaussian_nll,
)
from chainer_fast.functions.math.arctanh import arctanh as arctanh
from chainer_fast.functions.math.average import average as average
from chainer_fast.functions.math.basic_math import absolute as absolute, add as add
from chainer_fast.functions.math.batch_l2_norm_squared import (
    batch_l2_norm_squared as batch_l2_norm_squared,
)
from chainer_fast.functions.math.bias import bias as bias
from chainer_fast.functions.math.ceil import ceil as ceil
from chainer_fast.functions.math.cholesky import cholesky as cholesky
from chainer_fast.functions.math.clip import clip as clip
from chainer_fast.functions.math.cumprod import cumprod as cumprod
from chainer_fast.functions.math.cumsum import cumsum as cumsum
from chainer_fast.functions.math.det import batch_det as batch_det, det as det
from chainer_fast.functions.math.digamma import digamma as digamma
from chainer_fast.functions.math.einsum import einsum as einsum
from chainer_fast.functions.math.erf import erf as erf
from chainer_fast.functions.math.erfc import erfc as erfc
from chainer_fast.functions.math.erfcinv import erfcinv as erfcinv
from chainer_fast.functions.math.erfcx import erfcx as erfcx
from chainer_fast.functions.math.erfinv import erfinv as erfinv
from chainer_fast.functions.math.exponential import (
    exp as exp,
    log as log,
    log2 as log2,
    log10 as log10,
)
from chainer_fast.functions.math.exponential_m1 import expm1 as expm1
from chainer_fast.functions.math.fft import fft as fft, ifft as ifft
from chainer_fast.functions.math.fix import fix as fix
from chainer_fast.functions.math.floor import floor as floor
from chainer_fast.functions.math.fmod import fmod as fmod
from chainer_fast.functions.math.hyperbolic import cosh as cosh, sinh as sinh
from chainer_fast.functions.math.identity import identity as identity
from chainer_fast.functions.math.inv import batch_inv as batch_inv, inv as inv
from chainer_fast.functions.math.lgamma import lgamma as lgamma
from chainer_fast.functions.math.linear_interpolate import (
    linear_interpolate as linear_interpolate,
)
from chainer_fast.functions.math.log_ndtr import log_ndtr as log_ndtr
from chainer_fast.functions.math.logarithm_1p import log1p as log1p
from chainer_fast.functions.math.logsumexp import logsumexp as logsumexp
from chainer_fast.functions.math.matmul import (
    batch_matmul as batch_matmul,
    matmul as matmul,
)
from chainer_fast.functions.math.maximum import maximum as maximum
from chainer_fast.functions.math.minimum import minimum as minimum
from chainer_fast.functions.math.minmax import (
    argmax as argmax,
    argmin as argmin,
    max as max,
    min as min,
)
from chainer_fast.functions.math.ndtr import ndtr as ndtr
from chainer_fast.functions.math.ndtri import ndtri as ndtri
from chainer_fast.functions.math.polygamma import polygamma as polygamma
from chainer_fast.functions.math.prod import prod as prod
from chainer_fast.functions.math.scale import scale as scale
from chainer_fast.functions.math.sign import sign as sign
from chainer_fast.functions.math.sparse_matmul import sparse_matmul as sparse_matmul
from chainer_fast.functions.math.sqrt import rsqrt as rsqrt, sqrt as sqrt
from chainer_fast.functions.math.square import square as square
from chainer_fast.functions.math.sum import sum as sum, sum_to as sum_to
from chainer_fast.functions.math.tensordot import tensordot as tensordot
from chainer_fast.functions.math.trigonometric import (
    arccos as arccos,
    arcsin as arcsin,
    arctan as arctan,
    arctan2 as arctan2,
    cos as cos,
    sin as sin,
    tan as tan,
)
from chainer_fast.functions.math.zeta import zeta as zeta
from chainer_fast.functions.noise.dropout import dropout as dropout
from chainer_fast.functions.noise.gaussian import gaussian as gaussian
from chainer_fast.functions.noise.gumbel_softmax import gumbel_softmax as gumbel_softmax
from chainer_fast.functions.noise.simplified_dropconnect import (
    simplified_dropconnect as simplified_dropconnect,
)
from chainer_fast.functions.noise.zoneout import zoneout as zoneout
from chainer_fast.functions.normalization.batch_normalization import (
    batch_normalization as batch_normalization,
    fixed_batch_normalization as fixed_batch_normalization,
)
from chainer_fast.functions.normalization.batch_renormalization import (
    batch_renormalization as batch_renormalization,
    fixed_batch_renormalization as fixed_batch_renormalization,
)
from chainer_fast.functions.normalization.decorrelated_batch_normalization import (
    decorrelated_batch_normalization as decorrelated_batch_normalization,
    fixed_decorrelated_batch_normalization as fixed_decorrelated_batch_normalization,
)
from chainer_fast.functions.normalization.group_normalization import (
    group_normalization as group_normalization,
)
from chainer_fast.functions.normalization.l2_normalization import normalize as normalize
from chainer_fast.functions.normalization.layer_normalization import (
    layer_normalization as layer_normalization,
)
from chainer_fast.functions.normalization.local_response_normalization import (
    local_response_normalization as local_response_normalization,
)
from chainer_fast.functions.pooling.average_pooling_2d import (
    average_pooling_2d as average_pooling_2d,
)
from chainer_fast.functions.pooling.average_pooling_nd import (
    average_pooling_1d as average_pooling_1d,
    average_pooling_3d as average_pooling_3d,
    average_pooling_nd as average_pooling_nd,
)
from chainer_fast.functions.pooling.max_pooling_nd import (
    max_pooling_1d as max_pooling_1d,
    max_pooling_2d as max_pooling_2d,
    max_pooling_3d as max_pooling_3d,
    max_pooling_nd as max_pooling_nd,
)
from chainer_fast.functions.pooling.roi_average_align_2d import (
    roi_average_align_2d as roi_average_align_2d,
)
from chainer_fast.functions.pooling.roi_average_pooling_2d import (
    roi_average_pooling_2d as roi_average_pooling_2d,
)
from chainer_fast.functions.pooling.roi_max_align_2d import (
    roi_max_align_2d as roi_max_align_2d,
)
from chainer_fast.functions.pooling.roi_max_pooling_2d import (
    roi_max_pooling_2d as roi_max_pooling_2d,
)
from chainer_fast.functions.pooling.roi_pooling_2d import (
    roi_pooling_2d as roi_pooling_2d,
)
from chainer_fast.functions.pooling.spatial_pyramid_pooling_2d import (
    spatial_pyramid_pooling_2d as spatial_pyramid_pooling_2d,
)
from chainer_fast.functions.pooling.unpooling_2d import unpooling_2d as unpooling_2d
from chainer_fast.functions.pooling.unpooling_nd import (
    unpooling_1d as unpooling_1d,
    unpooling_3d as unpooling_3d,
    unpooling_nd as unpooling_nd,
)
from chainer_fast.functions.pooling.upsampling_2d import upsampling_2d as upsampling_2d
from chainer_fast.functions.rnn.lstm import lstm as lstm
from chainer_fast.functions.rnn.n_step_gru import (
    n_step_bigru as n_step_bigru,
    n_step_gru as n_step_gru,
)
from chainer_fast.functions.rnn.n_step_lstm import (
    n_step_bilstm as n_step_bilstm,
    n_step_lstm as n_step_lstm,
)
from chainer_fast.functions.rnn.n_step_rnn import (
    n_step_birnn as n_step_birnn,
    n_step_rnn as n_step_rnn,
)
from chainer_fast.functions.rnn.slstm import slstm as slstm
from chainer_fast.functions.rnn.tree_lstm import tree_lstm as tree_lstm
from chainer_fast.functions.util.forget import forget as forget
from chainer_fast.variable import _bound

mean = average

_bound.bind(reshape=reshape, transpose=transpose, average=average)
