"""Run a program written for Chainer, unedited: ``python -m chainer_fast SCRIPT``."""
from chainer_fast._help.command import main

if __name__ == '__main__':
    main()
