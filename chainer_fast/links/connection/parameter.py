"""A parameter as a link."""
from __future__ import annotations

from chainer_fast import link
from chainer_fast.functions.math import identity
from chainer_fast.types import NdArray
from chainer_fast.variable import Variable


class Parameter(link.Link):
    """A link that returns its only parameter.

    .. deprecated:: v2
        Assign a :class:`chainer_fast.Parameter` inside of ``init_scope`` instead.

    Parameters
    ----------
    array : numpy.ndarray or cupy.ndarray
        The initial value; it is not copied.

    Attributes
    ----------
    W : chainer_fast.Parameter
        The parameter.

    Raises
    ------
    AttributeError
        If ``array`` is not an array.

    See Also
    --------
    chainer_fast.Parameter

    Examples
    --------
    >>> link = L.Parameter(np.arange(3, dtype=np.float32))
    >>> link().array
    array([0., 1., 2.], dtype=float32)
    """

    def __init__(self, array: NdArray) -> None:
        super().__init__()
        self.add_param('W', array.shape, dtype=array.dtype)
        self.W.array = array

    def forward(self, volatile: str = 'off') -> Variable:
        """Return the parameter.

        Parameters
        ----------
        volatile
            Ignored; kept for old code.

        Returns
        -------
        chainer_fast.Variable
            A copy of the parameter, connected to it in the graph.
        """
        return identity.identity(self.W)
