# SPDX-License-Identifier: BSD-3-Clause
"""What other benchmarks print: the tables of OSU's, Intel's and NVIDIA's, as text or JSON, alone or in the log of a job."""

from orrery.benchmark_logs.reading import read_logs as read_logs
from orrery.benchmark_logs.table import BANDWIDTH as BANDWIDTH
from orrery.benchmark_logs.table import ONE_WAY as ONE_WAY
from orrery.benchmark_logs.table import LogRow as LogRow
from orrery.benchmark_logs.table import LogTable as LogTable
