"""The steps in PyTorch eager."""
import torch
from models.sides.torch_side import inputs_of, train
from networks.data import Numbers
from networks.torch_networks import Block
from torch import nn
from torch.utils.checkpoint import checkpoint


def transformer(layers, batch, length, d, heads, forget):
    """Return a training step of a stack of blocks. See ``chainer_side.py``."""
    numbers = Numbers()
    model = nn.ModuleList([Block(numbers, d, heads) for _ in range(layers)])
    x = inputs_of(numbers, batch * length, d)

    def lossfun():
        h = x
        for block in model:
            def run(h, block=block):
                return block(h.reshape(batch, length, d))
            h = checkpoint(run, h, use_reentrant=False) if forget else run(h)
        return h.square().mean()
    return train(torch.optim.Adam(model.parameters(), 1e-5), lossfun)
