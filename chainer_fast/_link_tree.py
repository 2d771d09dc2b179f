"""Walking through the links of a hierarchy and their parameters."""
import warnings


class LinkTree:
    """A node of a hierarchy of links, which owns parameters.

    Attributes
    ----------
    _params : set of str
        Names of the attributes that are parameters of this node.
    """

    def _named_children(self):
        """Pairs of name and link, in the order of traversal."""
        return ()

    def children(self):
        """Yield the child links."""
        for _, child in self._named_children():
            yield child

    def links(self, skipself=False):
        """Yield the links of the hierarchy: this one, then those below it.

        Parameters
        ----------
        skipself : bool
            Leave this link out.
        """
        if not skipself:
            yield self
        for _, child in self._named_children():
            yield from child.links()

    def namedlinks(self, skipself=False):
        """Yield the links of the hierarchy with their paths, ``'/'`` being this one.

        Parameters
        ----------
        skipself : bool
            Leave this link out.
        """
        if not skipself:
            yield '/', self
        for name, child in self._named_children():
            path = '/' + name
            yield path, child
            for below, link in child.namedlinks(True):
                yield path + below, link

    def params(self, include_uninit=True):
        """Yield the parameters of the hierarchy, those of a link sorted by name.

        Parameters
        ----------
        include_uninit : bool
            Also those that are not initialized.
        """
        attributes = self.__dict__
        for name in sorted(self._params):
            param = attributes[name]
            if include_uninit or param.is_initialized:
                yield param
        for _, child in self._named_children():
            yield from child.params(include_uninit)

    def namedparams(self, include_uninit=True):
        """Yield the parameters of the hierarchy with their paths.

        Parameters
        ----------
        include_uninit : bool
            Also those that are not initialized.
        """
        attributes = self.__dict__
        for name in sorted(self._params):
            param = attributes[name]
            if include_uninit or param.is_initialized:
                yield '/' + name, param
        for name, child in self._named_children():
            for below, param in child.namedparams(include_uninit):
                yield '/' + name + below, param

    def count_params(self):
        """Return the number of elements of all parameters.

        Warns
        -----
        UserWarning
            For each parameter that is not initialized, which counts for nothing.
        """
        total = 0
        for path, param in self.namedparams():
            if param.array is None:
                warnings.warn(
                    "Parameter '%s' is not initialized, so its elements are not counted"
                    % path)
            else:
                total += param.size
        return total

    def _describe_children(self):
        """Return the text of the link with that of its children, indented, in it."""
        lines = ['(%s): %s,' % item for item in self._named_children()]
        inside = '\n'.join(['', *lines]).replace('\n', '\n  ')
        return '%s(%s)' % (type(self).__name__, inside + '\n' if lines else '')
