"""Extensions: evaluation, reports, snapshots, and schedules of hyperparameters."""
from chainer_fast.training.extensions import (
    _snapshot,
    computational_graph as computational_graph,
    evaluator as evaluator,
    exponential_shift as exponential_shift,
    fail_on_nonnumber as fail_on_nonnumber,
    inverse_shift as inverse_shift,
    linear_shift as linear_shift,
    log_report as log_report,
    micro_average as micro_average,
    mlflow_report as mlflow_report,
    multistep_shift as multistep_shift,
    notebook as notebook,
    optuna_pruning as optuna_pruning,
    parameter_statistics as parameter_statistics,
    plot_report as plot_report,
    polynomial_shift as polynomial_shift,
    print_report as print_report,
    progress_bar as progress_bar,
    rich_print_report as rich_print_report,
    snapshot_writers as snapshot_writers,
    step_shift as step_shift,
    tensorboard_report as tensorboard_report,
    tqdm_progress_bar as tqdm_progress_bar,
    util as util,
    value_observation as value_observation,
    variable_statistics_plot as variable_statistics_plot,
    variable_unchain as variable_unchain,
    wandb_report as wandb_report,
    warmup_shift as warmup_shift,
)

# Evaluation and supervision
Evaluator = evaluator.Evaluator
MicroAverage = micro_average.MicroAverage
FailOnNonNumber = fail_on_nonnumber.FailOnNonNumber
observe_lr = value_observation.observe_lr
observe_value = value_observation.observe_value

# Hyperparameters
ExponentialShift = exponential_shift.ExponentialShift
InverseShift = inverse_shift.InverseShift
LinearShift = linear_shift.LinearShift
MultistepShift = multistep_shift.MultistepShift
PolynomialShift = polynomial_shift.PolynomialShift
StepShift = step_shift.StepShift
WarmupShift = warmup_shift.WarmupShift

# Reports
LogReport = log_report.LogReport
PrintReport = print_report.PrintReport
PlotReport = plot_report.PlotReport
ParameterStatistics = parameter_statistics.ParameterStatistics
VariableStatisticsPlot = variable_statistics_plot.VariableStatisticsPlot
ProgressBar = progress_bar.ProgressBar
PrintReportNotebook = notebook.PrintReportNotebook
PlotReportNotebook = notebook.PlotReportNotebook
ProgressBarNotebook = notebook.ProgressBarNotebook
RichPrintReport = rich_print_report.RichPrintReport
TqdmProgressBar = tqdm_progress_bar.TqdmProgressBar
DumpGraph = dump_graph = computational_graph.DumpGraph  # the second was once a function

# Other tools
TensorBoardReport = tensorboard_report.TensorBoardReport
WandbReport = wandb_report.WandbReport
MLflowReport = mlflow_report.MLflowReport
OptunaPruning = optuna_pruning.OptunaPruning

# Snapshots and memory
snapshot = _snapshot.snapshot
snapshot_object = _snapshot.snapshot_object
unchain_variables = variable_unchain.unchain_variables
