"""What helps the people who write and run programs; no arithmetic needs it.

In the order in which one meets it:

``command``
    The command ``chainer-fast``: runs a program written for Chainer, takes its
    profile (``--profile``), checks its sources (``check``), examines the machine
    (``--doctor``).
``mistakes``
    What errors add for those who made a mistake: the name that was meant, a cure.
``pytorch``
    What PyTorch calls what is here: one table, of errors and of docs/pytorch.md.
``installation``
    The version of the package, and the command that installs what it can use besides.
``past``
    What programs of earlier years use and nobody has any more. Errors, the legacy mode
    and ``check`` read the same list.
``summary``
    ``chainer_fast.summary(model)``: shapes, parameters and costs of the layers.
``display``
    How summaries, links and trainers show themselves: tables, trees, diagrams.

They stand on different layers: ``mistakes``, ``pytorch`` and ``past`` know nothing of
the package, so that everything may raise their errors; ``summary`` looks at links, and
``command`` at everything. So nothing is imported here, and each part is imported by its
own name (``from chainer_fast._help import mistakes``). A program that makes no mistake
and asks for nothing loads neither ``command`` nor the list of ``past``.
"""
