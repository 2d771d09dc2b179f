"""Links: objects that hold parameters, and chains that are composed of links."""
from chainer_fast import link_hook, variable
from chainer_fast._chain import Chain
from chainer_fast._chain_list import ChainList
from chainer_fast._core import links
from chainer_fast._link import Link

__all__ = ['Chain', 'ChainList', 'Link']

links.bind(
    parameter=variable.Parameter, chain=Chain, chain_list=ChainList,
    call_with_hooks=link_hook._call)
