"""The module that GoogLeNet consists of."""
from __future__ import annotations

from chainer_fast import link
from chainer_fast.functions.activation import relu
from chainer_fast.functions.array import concat
from chainer_fast.functions.pooling import max_pooling_nd
from chainer_fast.links.connection import convolution_2d
from chainer_fast.types import InitializerSpec
from chainer_fast.variable import Variable, VariableOrArray


class Inception(link.Chain):
    """Parallel convolutions with windows of several sizes.

    .. math::

        y = r\\bigl[ W_1 * x;\\; W_3 * r(P_3 * x);\\; W_5 * r(P_5 * x);\\;
            P * \\text{pool}(x) \\bigr]

    where :math:`*` is convolution and :math:`r` the rectifier. Four branches are
    concatenated along the channels:

    - a convolution of 1 x 1;
    - one of 1 x 1 (projection), rectified, and one of 3 x 3;
    - one of 1 x 1 (projection), rectified, and one of 5 x 5;
    - max pooling of 3 x 3, and a convolution of 1 x 1 (projection).

    Parameters
    ----------
    in_channels : int or None
        Number of channels of the images, determined at the first call if None.
    out1 : int
        Number of channels after the convolution of 1 x 1.
    proj3, out3 : int
        Number of channels after the projection before the convolution of 3 x 3, and
        after that convolution.
    proj5, out5 : int
        The same for the convolution of 5 x 5.
    proj_pool : int
        Number of channels after the projection that follows pooling.
    conv_init : initializer or None
        Initializes the filters.
    bias_init : initializer or None
        Initializes the biases.

    Attributes
    ----------
    conv1, proj3, conv3, proj5, conv5, projp : chainer_fast.links.Convolution2D
        The convolutions.

    See Also
    --------
    chainer_fast.links.GoogLeNet

    References
    ----------
    C. Szegedy et al. `Going deeper with convolutions
    <https://arxiv.org/abs/1409.4842>`__. CVPR 2015.

    Examples
    --------
    >>> module = L.Inception(
    ...     3, out1=4, proj3=2, out3=8, proj5=2, out5=4, proj_pool=4)
    >>> module(np.zeros((1, 3, 8, 8), np.float32)).shape
    (1, 20, 8, 8)
    """

    def __init__(
            self, in_channels: int | None, out1: int, proj3: int, out3: int, proj5: int,
            out5: int, proj_pool: int, conv_init: InitializerSpec | None = None,
            bias_init: InitializerSpec | None = None) -> None:
        super().__init__()
        for name, n_in, n_out, ksize in (
                ('conv1', in_channels, out1, 1),
                ('proj3', in_channels, proj3, 1), ('conv3', proj3, out3, 3),
                ('proj5', in_channels, proj5, 1), ('conv5', proj5, out5, 5),
                ('projp', in_channels, proj_pool, 1)):
            self.add_link(name, convolution_2d.Convolution2D(
                n_in, n_out, ksize, pad=ksize // 2, initialW=conv_init,
                initial_bias=bias_init))

    def forward(self, x: VariableOrArray) -> Variable:
        """Apply the module.

        Parameters
        ----------
        x : chainer_fast.Variable or array, shape (n, in_channels, h, w)
            Images.

        Returns
        -------
        chainer_fast.Variable
            Images of shape ``(n, out1 + out3 + out5 + proj_pool, h, w)``.

        Raises
        ------
        chainer_fast.utils.type_check.InvalidType
            If ``x`` has another dtype, number of axes or number of channels.
        """
        branches = (
            self.conv1(x),
            self.conv3(relu.relu(self.proj3(x))),
            self.conv5(relu.relu(self.proj5(x))),
            self.projp(max_pooling_nd.max_pooling_2d(x, 3, stride=1, pad=1)))
        return relu.relu(concat.concat(branches, axis=1))
