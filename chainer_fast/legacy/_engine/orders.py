"""Parameters and children in the order in which they were added, as in version 1."""
from chainer_fast.legacy import _named, _report
from chainer_fast.link import Chain, Link


def children(link):
    """Return pairs of a name and a child of a link, in the order of their making."""
    if isinstance(link, Chain):
        return [pair for pair in vars(link).items() if pair[0] in link._children]
    return link._named_children()


def _below(link, include_uninit, path):
    names = link._params
    for name, param in list(vars(link).items()):
        if name in names and (include_uninit or param.is_initialized):
            yield path + name, param
    for name, child in children(link):
        if type(child).namedparams is Link.namedparams:
            yield from _below(child, include_uninit, '%s%s/' % (path, name))
        else:       # the program has its own
            for below, param in child.namedparams(include_uninit):
                yield path + name + below, param


def params(link, include_uninit=True):
    """Return the parameters of a link and below, those of the link first."""
    return [param for _, param in _below(link, include_uninit, '/')]


def _links(link, path):
    for name, child in children(link):
        yield path + name, child
        yield from _links(child, '%s%s/' % (path, name))


def _count(found):
    """Count a use of the order where it is another one than that of names."""
    paths = [path.split('/') for path, _ in found]
    if paths != sorted(paths):
        _report.adapted('order of parameters as they were added')


def install(patches):
    """Keep the order if version 1 was named: programs draw values in such loops."""
    if not _named.is_named(patches, 'v1'):
        return

    def namedparams(self, include_uninit=True):
        found = list(_below(self, include_uninit, '/'))
        if _report.is_called_by_program():
            _count(found)
        return iter(found)

    def unnamed_params(self, include_uninit=True):
        found = list(_below(self, include_uninit, '/'))
        if _report.is_called_by_program():
            _count(found)
        return iter([param for _, param in found])

    def namedlinks(self, skipself=False):
        found = [('/', self)][skipself:] + list(_links(self, '/'))
        if _report.is_called_by_program():
            _count(found)
        return iter(found)

    def unnamed_links(self, skipself=False):
        found = [('/', self)][skipself:] + list(_links(self, '/'))
        if _report.is_called_by_program():
            _count(found)
        return iter([link for _, link in found])

    def unnamed_children(self):
        return iter([child for _, child in children(self)])

    for name, method in (('namedparams', namedparams), ('params', unnamed_params),
                         ('namedlinks', namedlinks), ('links', unnamed_links),
                         ('children', unnamed_children)):
        method.__doc__ = getattr(Link, name).__doc__
        patches.set(Link, name, method)
    patches.set(Chain, '_named_children', children)
