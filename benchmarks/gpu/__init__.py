"""Whole training steps on a GPU, beside PyTorch eager on the same card.

``python -m benchmarks.gpu``, or ``make bench-gpu``, runs both sides in turns, each in a
process of its own, and prints a table. ``rows`` says which steps there are; the folder
``sides`` has them for either side, with the same weights and inputs. It is no package:
asv imports all modules of packages, and its environment has no PyTorch.
"""
