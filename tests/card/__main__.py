import sys

from tests.card import run

if __name__ == '__main__':
    sys.exit(run.main())
