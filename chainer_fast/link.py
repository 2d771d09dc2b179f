"""Links: objects that hold parameters, and chains that are composed of links."""
from chainer_fast._chain import Chain
from chainer_fast._chain_list import ChainList
from chainer_fast._link import Link

__all__ = ['Chain', 'ChainList', 'Link']
