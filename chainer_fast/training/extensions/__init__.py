"""Extensions: evaluation, reports, snapshots, and schedules of hyperparameters."""
from chainer_fast.training.extensions import (
    _snapshot,
    computational_graph,
    evaluator,
    exponential_shift,
    fail_on_nonnumber,
    inverse_shift,
    linear_shift,
    log_report,
    micro_average,
    multistep_shift,
    notebook,
    parameter_statistics,
    plot_report,
    polynomial_shift,
    print_report,
    progress_bar,
    snapshot_writers,
    step_shift,
    util,
    value_observation,
    variable_statistics_plot,
    variable_unchain,
    warmup_shift,
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
ProgressBarNotebook = notebook.ProgressBarNotebook
DumpGraph = dump_graph = computational_graph.DumpGraph  # the second was once a function

# Snapshots and memory
snapshot = _snapshot.snapshot
snapshot_object = _snapshot.snapshot_object
unchain_variables = variable_unchain.unchain_variables
