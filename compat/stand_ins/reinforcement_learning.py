"""Agents in environments of gym, without data.

The scripts are for gym 0.12: later versions lack ``timestep_limit``, and their ``step``
returns five values.
"""
from stand_ins.run import Run

_SMALL = ('--no-record', '--unit', '10', '--batch-size', '16',
          '--replay-start-size', '50', '--episodes')

RUNS = [
    Run('reinforcement_learning/dqn_cartpole.py',
        (*_SMALL, '10', '--target-type', kind), needs=('gym<0.13',),
        prints=r'episode: 9 iteration: \d+ R: \d')
    for kind in ('dqn', 'double_dqn')
] + [
    Run('reinforcement_learning/ddpg_pendulum.py', (*_SMALL, '2'), needs=('gym<0.13',),
        prints=r'episode: 1 iteration: 400 R:'),
]
