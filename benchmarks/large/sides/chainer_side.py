"""The steps in Chainer's interface."""
import chainer
import chainer.functions as F
from models.sides.chainer_side import train
from networks.chainer_networks import Block
from networks.data import Numbers


def transformer(layers, batch, length, d, heads, forget):
    """Return a training step of a stack of blocks.

    With a larger rate, the sign of a gradient of nearly zero changes the loss.
    """
    numbers = Numbers()
    model = chainer.ChainList(*[Block(numbers, d, heads) for _ in range(layers)])
    x = chainer.Variable(numbers.input(batch * length, d))

    def lossfun():
        h = x
        for block in model:
            def run(h, block=block):
                return block(F.reshape(h, (batch, length, d)))
            h = F.forget(run, h) if forget else run(h)
        return F.mean(F.square(h))
    return train(model, chainer.optimizers.Adam(1e-5), lossfun)
