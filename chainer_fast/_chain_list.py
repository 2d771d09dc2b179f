"""Links that hold other links as a list."""
import collections.abc

from chainer_fast import _link


class ChainList(_link.Link, collections.abc.MutableSequence):
    """A link composed of child links in a list.

    It behaves as a list of its children; their names are their positions. In contrast
    to :class:`chainer_fast.Chain`, children are not attributes, and cannot be assigned
    inside of :meth:`init_scope`. ::

        class Tower(chainer_fast.ChainList):

            def __init__(self, widths):
                super().__init__(
                    *[chainer_fast.links.Linear(None, n) for n in widths])

            def forward(self, x):
                for layer in self:
                    x = chainer_fast.functions.relu(layer(x))
                return x

    Parameters
    ----------
    *links : Link
        The children.
    """

    __module__ = 'chainer_fast.link'

    def __init__(self, *links):
        super().__init__()
        self._children = []
        for link in links:
            self.add_link(link)

    def __str__(self):
        return self._describe_children()

    def _register(self, name, value):
        if isinstance(value, _link.Link):
            raise TypeError(
                'a child of a ChainList has no attribute name (%s); use add_link(), or '
                'assign it outside of the "with init_scope()" block' % name)
        super()._register(name, value)

    def _renumber(self):
        for position, child in enumerate(self._children):
            child.name = str(position)

    def __len__(self):
        return len(self._children)

    def __iter__(self):
        return iter(self._children)

    def __getitem__(self, index):
        """Return the child of an index, or the list of those of a slice."""
        return self._children[index]

    def __setitem__(self, index, value):
        if isinstance(index, slice):
            self._children[index] = value
        elif isinstance(index, int):
            self._children[index]  # before the child takes a name
            value.name = None  # so that only links pass
            self._children[index] = value
        else:
            raise TypeError(
                'children have integers or slices as indices, not %s' % type(index))
        self._renumber()

    def __delitem__(self, index):
        del self._children[index]
        self._renumber()

    def insert(self, index, link):
        """Insert a child.

        Parameters
        ----------
        index : int
            Position in front of which to insert, as for a list.
        link : Link
            The child.
        """
        link.name = None  # so that only links pass
        self._children.insert(index, link)
        self._renumber()

    def add_link(self, link):
        """Append a child; the same as :meth:`append`.

        Parameters
        ----------
        link : Link
            The child.
        """
        self.append(link)

    def _named_children(self):
        return [(str(i), child) for i, child in enumerate(self._children)]

    def _child_like(self, link, name):
        return link[int(name)]

    def copy(self, mode='share'):
        """Copy the list and its children.

        Parameters
        ----------
        mode : {'share', 'copy', 'init'}
            How to copy the children; see :meth:`chainer_fast.Link.copy`. Parameters of
            the list itself are shared in any mode.

        Returns
        -------
        ChainList
            The copy.
        """
        clone = super().copy()
        clone._children = [child.copy(mode) for child in self._children]
        clone._renumber()
        return clone
