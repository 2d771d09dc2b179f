"""Tools and messages that help users; no computation depends on them.

In the order in which users meet them:

``command``
    The command ``chainer-fast``: runs a program written for Chainer, profiles it
    (``--profile``), checks its sources (``check``), and examines the machine
    (``--doctor``).
``mistakes``
    Hints that errors add: the name that was probably meant, or how to fix the call.
``pytorch``
    PyTorch's names and their counterparts here: one table for errors and for
    docs/pytorch.md.
``installation``
    The version of the package, and the command that installs optional dependencies.
``past``
    Names and idioms of old programs that no longer exist. Errors, the legacy mode and
    ``check`` read the same list.
``summary``
    ``chainer_fast.summary(model)``: shapes, parameters and costs of the layers.
``display``
    How summaries, links and trainers are displayed: tables, trees, diagrams.

The parts are on different layers: ``mistakes``, ``pytorch`` and ``past`` do not import
other modules of the package, so that every module can raise their errors; ``summary``
imports links, and ``command`` everything. Therefore this module imports nothing, and
each part is imported by its own name (``from chainer_fast._help import mistakes``). A
program that makes no mistake and needs no help loads neither ``command`` nor the list
of ``past``.
"""
