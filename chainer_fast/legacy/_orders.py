"""The order of parameters and links in versions 1 to 4, which did not sort names.

Programs that draw the values of parameters in a loop depend on it. Version 1 kept names
in the order in which they were added. Links that are passed to a chain as keyword
arguments were added in the order in which Python passed them; the order of Python 2 is
used if the part ``python`` is named, too. Versions 2 to 4 kept sets of names, whose
order was the same in each process only in Python 2.
"""
from chainer_fast._core.graphs.links import LinkBase
from chainer_fast.legacy import _frames, _named, _report
from chainer_fast.legacy._engine import keyword_order
from chainer_fast.legacy._links.function_set import FunctionSet
from chainer_fast.link import Chain, ChainList, Link


class _Order:
    """Traversal of hierarchies of links whose names are in the order of their addition.

    Parameters
    ----------
    is_python_2 : bool
        Whether the children of the package's links are in the order of Python 2.
    """

    idiom = 'order of parameters as they were added'

    def __init__(self, is_python_2):
        self.is_python_2 = is_python_2

    def names(self, link, kind):
        """Return the names of attributes in a set of names of a link."""
        names = vars(link)[kind]
        names = [name for name in vars(link) if name in names]
        if (kind == '_children' and self.is_python_2
                and type(link).__module__.startswith(
                    ('chainer_fast.links.', 'chainer_fast.legacy.'))):
            names = keyword_order.in_table(names)
        return names

    def children_of(self, link):
        """Return pairs of name and link."""
        if isinstance(link, Chain):
            return [(name, vars(link)[name]) for name in self.names(link, '_children')]
        if isinstance(link, ChainList):
            return [(str(i), child) for i, child in enumerate(vars(link)['_children'])]
        return []

    def is_of_today(self, link):
        """Return whether the names in a hierarchy are sorted, as they are now."""
        children = self.children_of(link)
        orders = [self.names(link, '_params')]
        if isinstance(link, Chain):
            orders.append([name for name, _ in children])
        return all(names == sorted(names) for names in orders) and all(
            self.is_of_today(child) for _, child in children)

    def methods(self):
        """Return the traversal methods of links, by name."""
        def children(link):
            for _, child in self.children_of(link):
                yield child

        def links(link, skipself=False):
            if not skipself:
                yield link
            for child in link.children():
                yield from child.links()

        def namedlinks(link, skipself=False):
            if not skipself:
                yield '/', link
            for name, child in self.children_of(link):
                yield '/' + name, child
                for path, below in child.namedlinks(True):
                    yield '/' + name + path, below

        def params(link, include_uninit=True):
            for _, param in link.namedparams(include_uninit):
                yield param

        def namedparams(link, include_uninit=True):
            for name in self.names(link, '_params'):
                param = vars(link)[name]
                if include_uninit or param.is_initialized:
                    yield '/' + name, param
            for name, child in self.children_of(link):
                for path, param in child.namedparams(include_uninit):
                    yield '/' + name + path, param

        def cleargrads(link):
            # The order does not matter here, and compiled code would look like the
            # program.
            LinkBase.cleargrads(link)

        return {'cleargrads': cleargrads, **{
            walk.__name__: self._counted(walk) for walk in (
                children, links, namedlinks, params, namedparams)}}

    def _counted(self, walk):
        """Count the uses of a method if the current order differs."""
        def method(link, *args, **kwargs):
            if _frames.is_called_by_program() and not self.is_of_today(link):
                _report.adapted(self.idiom)
            return walk(link, *args, **kwargs)
        method.__doc__ = getattr(Link, walk.__name__).__doc__
        return method


class _OrderOfSets(_Order):
    """Traversal of hierarchies of links whose names are in sets of Python 2."""

    idiom = 'order of parameters in a set'

    def names(self, link, kind):
        """Return names in the order of a set to which they are added one by one."""
        return keyword_order.in_table(super().names(link, kind))


def _add_in_order_of_python_2(patches, cls, passes):
    """Let a class process its keyword arguments in the order of Python 2.

    Parameters
    ----------
    patches : Patches
    cls : type
    passes : int
        Number of methods through which version 1 passed them.
    """
    initialize = cls.__init__

    def init(self, **given):
        names = list(given)
        # Otherwise a class of the program has called its base.
        if str(type(self).__init__.__module__).startswith('chainer_fast.'):
            names = keyword_order.of_call(names)
        for _ in range(passes):
            names = keyword_order.in_table(names)
        initialize(self, **{name: given[name] for name in names})

    init.__doc__ = initialize.__doc__
    patches.set(cls, '__init__', init)


def install(patches):
    """Traverse in the order of the named version."""
    is_python_2 = 'python' in patches.named
    if 'v1' in patches.named:
        order = _Order(is_python_2)
    elif is_python_2 and _named.is_named(patches, 'v4'):
        order = _OrderOfSets(is_python_2=False)
    else:
        return
    for name, method in order.methods().items():
        patches.set(Link, name, method)
    if is_python_2:
        for cls, passes in ((Link, 1), (Chain, 1), (FunctionSet, 2)):
            _add_in_order_of_python_2(patches, cls, passes)
