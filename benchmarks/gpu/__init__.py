"""Whole training steps on a GPU, beside PyTorch eager on the same card.

``python -m benchmarks.gpu``, or ``make bench-gpu``, runs both sides in turns, each in a
process of its own, and prints a table. ``rows`` says which steps there are,
``chainer_side`` and ``torch_side`` have them, with the same weights and inputs.
"""
