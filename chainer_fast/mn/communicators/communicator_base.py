"""The interface of communicators."""
from __future__ import annotations

import abc
import contextlib
import warnings
from collections.abc import Iterator
from typing import Any

from chainer_fast.link import Link
from chainer_fast.types import NdArray


class CommunicatorBase(metaclass=abc.ABCMeta):
    """Processes that exchange arrays, objects and gradients.

    Users make one with :func:`chainer_fast.mn.create_communicator`. All processes call
    the collective operations in the same order.

    See Also
    --------
    chainer_fast.mn.create_communicator

    Examples
    --------
    In a program that ``mpiexec -n 2 python program.py`` starts: ::

        comm = chainermn.create_communicator('naive')
        print(comm.rank, comm.size)
        total = comm.allreduce_obj(comm.rank)           # 0 + 1
        rows = comm.allgather(numpy.full(3, comm.rank)) # on both processes
    """

    def __init__(self) -> None:
        self._configs = {}
        self._within_config_scope = False

    def __getattr__(self, name: str) -> Any:
        # Subclasses of users may not call the constructor.
        if name == '_configs':
            configs = self.__dict__['_configs'] = {}
            return configs
        if name == '_within_config_scope':
            return False
        raise AttributeError(
            '%r object has no attribute %r' % (type(self).__name__, name))

    def __setattr__(self, name: str, value: Any) -> None:
        if self._within_config_scope:
            self._configs[name] = value
        super().__setattr__(name, value)

    @property
    def rank(self) -> int:
        """Rank of this process: 0 to ``size - 1``."""
        raise NotImplementedError

    @property
    def size(self) -> int:
        """Number of processes."""
        raise NotImplementedError

    @property
    def intra_rank(self) -> int:
        """Rank of this process on its node, often used as the number of its GPU."""
        raise NotImplementedError

    @property
    def intra_size(self) -> int:
        """Number of processes on this node."""
        raise NotImplementedError

    @property
    def inter_rank(self) -> int:
        """Number of this node among the nodes."""
        raise NotImplementedError

    @property
    def inter_size(self) -> int:
        """Number of nodes."""
        raise NotImplementedError

    def set_config(self, name: str, **kwargs: Any) -> None:
        """Set a setting of the communicator.

        Raises
        ------
        ValueError
            If this class of communicators has no such setting.
        """
        raise ValueError('Unknown config: %s' % (name,))

    def get_config(self, name: str | None = None) -> Any:
        """Return one setting, or a dict of all of them.

        Raises
        ------
        KeyError
            If the setting does not exist.
        """
        return self._configs if name is None else self._configs[name]

    @property
    def within_config_scope(self) -> bool:
        """Whether a :meth:`config_scope` is open."""
        return self._within_config_scope

    @contextlib.contextmanager
    def config_scope(self) -> Iterator[None]:
        """Also store attributes that are set in this context as settings."""
        before = self._within_config_scope
        super().__setattr__('_within_config_scope', True)
        try:
            yield
        finally:
            super().__setattr__('_within_config_scope', before)

    @abc.abstractmethod
    def split(self, color: int, key: int) -> CommunicatorBase:
        """Return a communicator of the processes with the same ``color``."""

    @abc.abstractmethod
    def alltoall(self, xs: Any) -> tuple[NdArray, ...]:
        """Send ``xs[i]`` to rank ``i``, and return the arrays sent to this rank."""

    @abc.abstractmethod
    def send(self, data: Any, dest: int, tag: int) -> None:
        """Send an array or a tuple of arrays to rank ``dest``."""

    @abc.abstractmethod
    def recv(self, source: int, tag: int) -> Any:
        """Receive an array or a tuple of arrays of rank ``source``."""

    @abc.abstractmethod
    def bcast(
            self, data: Any, max_buf_len: int | None = None,
            root: int = 0) -> NdArray:
        """Return the array of rank ``root`` on every rank."""

    @abc.abstractmethod
    def gather(self, data: Any, root: int = 0) -> tuple[NdArray, ...] | Any:
        """Return the arrays of all ranks as a tuple on ``root``, None elsewhere."""

    @abc.abstractmethod
    def allgather(self, x: Any) -> tuple[NdArray, ...]:
        """Return the arrays of all ranks as a tuple."""

    @abc.abstractmethod
    def allreduce(self, data: Any) -> NdArray:
        """Return the sum of the arrays of all ranks."""

    @abc.abstractmethod
    def scatter(self, xs: Any, root: int = 0) -> NdArray:
        """Return ``xs[i]`` of rank ``root`` on rank ``i``."""

    def finalize(self) -> None:  # noqa: B027
        """Free the resources of the communicator."""

    @abc.abstractmethod
    def send_obj(self, obj: Any, dest: int, tag: int) -> None:
        """Send an object to rank ``dest``."""

    @abc.abstractmethod
    def recv_obj(self, source: int, tag: int) -> Any:
        """Receive an object of rank ``source``."""

    @abc.abstractmethod
    def bcast_obj(
            self, obj: Any, max_buf_len: int | None = None, root: int = 0) -> Any:
        """Return the object of rank ``root`` on every rank."""

    @abc.abstractmethod
    def gather_obj(self, obj: Any, root: int = 0) -> list[Any] | Any:
        """Return a list of all ranks' objects on ``root``, None elsewhere."""

    @abc.abstractmethod
    def allreduce_obj(self, obj: Any) -> Any:
        """Return the sum of the objects of all ranks."""

    @abc.abstractmethod
    def bcast_data(self, model: Link) -> None:
        """Copy the parameters of rank 0 to the model of every rank."""

    def broadcast_data(self, model: Link) -> None:
        """Call :meth:`bcast_data`, its name since Chainer 5."""
        self.bcast_data(model)

    @abc.abstractmethod
    def multi_node_mean_grad(self, model: Link, zero_fill: bool = False) -> None:
        """Replace gradients by their means over all ranks.

        Parameters
        ----------
        model : Link
            The model, whose parameters must have the same order on every rank.
        zero_fill : bool
            Whether a rank without a gradient participates with zeros if another rank
            has one. Otherwise all ranks must have a gradient, or none.
        """

    def allreduce_grad(self, model: Link, zero_fill: bool = False) -> None:
        """Call :meth:`multi_node_mean_grad`, its name since Chainer 5."""
        warnings.warn('allreduce_grad() is deprecated.', DeprecationWarning)
        self.multi_node_mean_grad(model, zero_fill)
