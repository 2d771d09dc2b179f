"""What a machine with a card is asked, in stages: ``make card``.

    python -m tests.card --out FOLDER [STAGE ...]

needs no Makefile: an installed chainer_fast, CuPy, pytest and a copy of the repository
do. ``stages`` has the table of stages, and a stage is a list of commands. ``run`` gives
each a process, a limit of time, a log and a line in the stage's results, which are
written as it goes. ``program`` runs the cases in ``programs``, by one name or by what
their names begin with; ``page`` makes a page of a folder of results.

Without a card, it tells what it would do. ``--tiny`` runs the programs at tiny sizes,
on the stand-ins for CuPy and cuDNN where there is no card.
"""
