from __future__ import annotations

import numpy

from chainer_fast import backend
from chainer_fast.functions.activation.relu import relu
from chainer_fast.functions.array import cast, reshape
from chainer_fast.functions.array.broadcast import broadcast_to
from chainer_fast.functions.array.where import where
from chainer_fast.functions.math import matmul
from chainer_fast.functions.math.basic_math import absolute
from chainer_fast.functions.math.sqrt import sqrt
from chainer_fast.functions.math.sum import sum as c_sum
from chainer_fast.utils import type_check
from chainer_fast.variable import Variable, VariableOrArray, as_variable


def _l1_norm(x, axis):
    return c_sum(absolute(x), axis=axis)


def _l2_norm(x, axis):
    square = c_sum(x * x, axis=axis)
    # The square root has no derivative at zero; that of the norm is defined as zero.
    zero = (square.array == 0).astype(square.dtype)
    return sqrt(square + zero) * (1 - zero)


def _weighed(x, weights):
    # An infinite value with zero weight does not count.
    return where(weights != 0, x, (weights * 0).astype(x.dtype)) * weights


class DiscriminativeMarginBasedClusteringLoss:
    """Loss that clusters the embeddings of instances.

    See :func:`~chainer_fast.functions.discriminative_margin_based_clustering_loss` for
    the parameters, which are also its attributes.

    Raises
    ------
    ValueError
        If ``norm`` is neither 1 nor 2, or ``max_embedding_dim`` is not positive.
    """

    def __init__(
            self, delta_v: float = 0.5, delta_d: float = 1.5,
            max_embedding_dim: int = 10, norm: int = 1, alpha: float = 1.0,
            beta: float = 1.0, gamma: float = 0.001) -> None:
        if norm not in (1, 2):
            raise ValueError(
                'norm must be 1 or 2 for a discriminative loss, but is %r' % (norm,))
        if max_embedding_dim <= 0:
            raise ValueError(
                'max_embedding_dim must be positive, but is %r' % (max_embedding_dim,))
        self.norm = _l1_norm if norm == 1 else _l2_norm
        self.delta_v = delta_v
        self.delta_d = delta_d
        self.max_embedding_dim = max_embedding_dim
        self.alpha = alpha
        self.beta = beta
        self.gamma = gamma

    def __call__(
            self, embeddings: VariableOrArray,
            labels: VariableOrArray) -> tuple[Variable, ...]:
        """Return the three terms of the loss.

        Parameters
        ----------
        embeddings : Variable or array, shape (batch, max_embedding_dim, ...)
            Embedding of each pixel.
        labels : array, shape (batch, ...)
            Number of the instance that each pixel belongs to.

        Returns
        -------
        tuple of Variable
            Variance, distance and regularization terms, as scalars.
        """
        x = as_variable(embeddings)
        labels = as_variable(labels).array
        assert x.shape[1] == self.max_embedding_dim, (
            'embeddings must have max_embedding_dim = %s channels, but have the shape '
            '%s' % (self.max_embedding_dim, x.shape))
        if labels.shape != x.shape[:1] + x.shape[2:]:
            raise type_check.InvalidType(
                'labels.shape == %s' % (x.shape[:1] + x.shape[2:],),
                'labels.shape == %s' % (labels.shape,),
                'each pixel of the embeddings must have a label')
        # Half precision can neither count nor sum the pixels of an image.
        terms = self._terms(
            cast.cast(x, numpy.float32) if x.dtype.char == 'e' else x, labels)
        if x.dtype.char == 'e':
            terms = [cast.cast(term, x.dtype) for term in terms]
        factors = self.alpha, self.beta, self.gamma
        return tuple([c * term for c, term in zip(factors, terms, strict=True)])

    def _terms(self, x, labels):
        batch, clusters = x.shape[:2]
        pixels = int(numpy.prod(x.shape[2:]))
        x = reshape.reshape(x, (batch, clusters, pixels))
        labels = labels.reshape(batch, 1, pixels)
        xp = backend.get_array_module(labels)
        numbers = xp.arange(1, clusters + 1).reshape(1, -1, 1)
        inside = (labels == numbers).astype(x.dtype)
        sizes = inside.sum(axis=2, keepdims=True)
        shares = inside / xp.maximum(sizes, 1)

        # For each image: (cluster, embedding) and (embedding, pixel).
        means = matmul.matmul(shares, x, transb=True)
        centres = matmul.matmul(means, inside, transa=True)
        # The variance of a cluster is computed over its pixels in all images. Pixels
        # outside all clusters have no weight.
        shares = inside / xp.maximum(sizes.sum(axis=0), 1)
        spread = relu(self.norm(x - centres, axis=1) - self.delta_v)
        variance = c_sum(_weighed(spread * spread, shares.sum(axis=1))) / clusters

        shape = batch, clusters, clusters, clusters
        gaps = self.norm(
            broadcast_to(reshape.reshape(means, (batch, clusters, 1, clusters)), shape)
            - broadcast_to(
                reshape.reshape(means, (batch, 1, clusters, clusters)), shape), axis=3)
        missing = relu(2 * self.delta_d - gaps)
        others = 1 - xp.eye(clusters, dtype=x.dtype)
        distance = c_sum(_weighed(missing * missing, others))

        # The norm is that of the vector of a cluster's means in all images.
        size = c_sum(self.norm(means, axis=(0, 2)))
        # Clusters without pixels are included; their means are zero.
        count = max(batch * clusters, 1)
        pairs = max(count * (clusters - 1), 1)
        return variance, distance / pairs, size / count


def discriminative_margin_based_clustering_loss(
        embeddings: VariableOrArray, labels: VariableOrArray, delta_v: float,
        delta_d: float, max_embedding_dim: int, norm: int = 1, alpha: float = 1.0,
        beta: float = 1.0, gamma: float = 0.001) -> tuple[Variable, ...]:
    """Discriminative loss of the embeddings of instances.

    With :math:`C` clusters, of which cluster :math:`c` has :math:`N_c` pixels with
    embeddings :math:`x_i` around their mean :math:`\\mu_c`, and
    :math:`[x]_+ = \\max(0, x)`:

    .. math::

        L_{var} &= \\frac{1}{C} \\sum_c \\frac{1}{N_c} \\sum_{i \\in c}
            [ \\| \\mu_c - x_i \\| - \\delta_v ]_+^2 \\\\
        L_{dist} &= \\frac{1}{C (C - 1)} \\sum_{c \\ne d}
            [ 2 \\delta_d - \\| \\mu_c - \\mu_d \\| ]_+^2 \\\\
        L_{reg} &= \\frac{1}{C} \\sum_c \\| \\mu_c \\|

    Each image of a batch has its own means. :math:`L_{var}` averages over a cluster's
    pixels in all images, :math:`L_{dist}` is averaged over the images, and
    :math:`L_{reg}` is the norm of the vector of a cluster's means in all images,
    divided by the number of images.

    See: `Semantic Instance Segmentation with a Discriminative Loss Function
    <https://arxiv.org/abs/1708.02551>`_

    Parameters
    ----------
    embeddings : Variable or array
        Embedding of each pixel, of a floating dtype and shape
        ``(batch, max_embedding_dim, ...)``.
    labels : Variable or array
        Instance of each pixel, an integer from 1 to ``max_embedding_dim``, of shape
        ``(batch, ...)``. Pixels with any other label, such as 0 for the background, are
        ignored.
    delta_v : float
        Distance from the mean of its cluster within which a pixel has no loss.
    delta_d : float
        Half of the distance at which two means no longer have a loss.
    max_embedding_dim : int
        Number of channels, which is also the number of clusters. Clusters without
        pixels are included; their means are zero.
    norm : int
        1 or 2, for the norm L1 or L2 of all distances.
    alpha, beta, gamma : float
        Weights of the terms.

    Returns
    -------
    tuple of Variables
        The weighted terms of variance, distance and regularization, as scalars of the
        dtype of ``embeddings``. The loss is their sum.

    Raises
    ------
    ValueError
        If ``norm`` is neither 1 nor 2, or ``max_embedding_dim`` is not positive.
    AssertionError
        If ``embeddings`` does not have ``max_embedding_dim`` channels.
    chainer_fast.utils.type_check.InvalidType
        If ``embeddings`` is not floating-point, or the shape of ``labels`` does not
        match its shape.

    Examples
    --------
    >>> x = np.array([[[0., 2., 10., 10.], [0., 0., 0., 0.]]], np.float32)
    >>> labels = np.array([[1, 1, 2, 2]], np.int32)     # means (1, 0) and (10, 0)
    >>> for term in F.discriminative_margin_based_clustering_loss(
    ...         x, labels, delta_v=0.5, delta_d=5., max_embedding_dim=2):
    ...     print(term.array.round(4))
    0.125
    1.0
    0.0055
    """
    loss = DiscriminativeMarginBasedClusteringLoss(
        delta_v, delta_d, max_embedding_dim, norm, alpha, beta, gamma)
    return loss(embeddings, labels)
