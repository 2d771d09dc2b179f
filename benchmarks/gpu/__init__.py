"""Whole training steps on a GPU, compared with PyTorch eager on the same GPU.

``python -m benchmarks.gpu``, or ``make bench-gpu``, runs both sides alternately, each
in a separate process, and prints a table. ``rows`` lists the steps; the folder
``sides`` has them for each side, with the same weights and inputs. It is not a
package: asv imports all modules of packages, and its environment has no PyTorch.
"""
