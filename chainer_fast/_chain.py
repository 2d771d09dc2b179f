"""Links that hold other links as attributes."""
from chainer_fast import _link


class Chain(_link.Link):
    """A link composed of child links, which are its attributes.

    Links assigned inside of :meth:`init_scope` become children: their parameters belong
    to the chain's. ::

        class Perceptron(chainer_fast.Chain):

            def __init__(self, n_hidden, n_out):
                super().__init__()
                with self.init_scope():
                    self.hidden = chainer_fast.links.Linear(None, n_hidden)
                    self.out = chainer_fast.links.Linear(n_hidden, n_out)

            def forward(self, x):
                return self.out(chainer_fast.functions.relu(self.hidden(x)))

    Parameters
    ----------
    **links : Link
        Children by name.
    """

    __module__ = 'chainer_fast.link'

    def __init__(self, **links):
        super().__init__()
        self._children = set()
        for name, link in links.items():
            self.add_link(name, link)

    def __str__(self):
        return self._describe_children()

    def __getitem__(self, name):
        """Return the attribute of a name, which is how children are reached by name."""
        return getattr(self, name)

    def _register(self, name, value):
        if isinstance(value, _link.Link):
            if hasattr(self, name):
                raise AttributeError(
                    'cannot register a new link %s: attribute exists' % name)
            value.name = name
            self._children.add(name)
        else:
            super()._register(name, value)

    def add_link(self, name, link):
        """Register a child link.

        Parameters
        ----------
        name : str
            Name of the child, which becomes an attribute.
        link : Link
            The child.

        Raises
        ------
        AttributeError
            If the chain has an attribute of that name.
        TypeError
            If ``link`` is not a link.
        """
        if not isinstance(link, _link.Link):
            raise TypeError(
                'only a link can be the child %s of a chain, not %s'
                % (name, type(link)))
        with self.init_scope():
            setattr(self, name, link)

    def _named_children(self):
        attributes = self.__dict__
        return [(name, attributes[name]) for name in sorted(self._children)]

    def copy(self, mode='share'):
        clone = super().copy(mode)
        clone._children = set(clone._children)
        attributes = clone.__dict__
        for name, child in clone._named_children():
            attributes[name] = child.copy(mode)
            attributes[name].name = name
        return clone
