"""autobench: the problem size that saturates a device, and the best variant of a kernel there.

>>> import autobench as ab
>>> study = ab.saturate(add, space={"BLOCK": [64, 128]}, arguments=make)    # doctest: +SKIP
>>> study.knee, study.best()                                                # doctest: +SKIP
(46656, {'BLOCK': 128})
"""

from ._bench import Interval, do_bench, do_bench_in_turn
from ._comparison import Comparison, compare
from ._kernel_tuner import tune_kernel
from ._knee import Knee, knee
from ._saturate import resume, saturate, tune
from ._study import SizePoint, Study, load
from .errors import (
    AutobenchError,
    BenchmarkError,
    ComparisonError,
    DeviceError,
    Interrupted,
    NothingValidError,
    ProgramFault,
    ProgramNotFoundError,
    SettingsError,
)

__all__ = [
    "AutobenchError",
    "BenchmarkError",
    "Comparison",
    "ComparisonError",
    "DeviceError",
    "Interrupted",
    "Interval",
    "Knee",
    "NothingValidError",
    "ProgramFault",
    "ProgramNotFoundError",
    "SettingsError",
    "SizePoint",
    "Study",
    "compare",
    "do_bench",
    "do_bench_in_turn",
    "knee",
    "load",
    "resume",
    "saturate",
    "tune",
    "tune_kernel",
]
