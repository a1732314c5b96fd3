# SPDX-License-Identifier: BSD-3-Clause
"""The measurement of a calibration: from settings to a plan, and from the plan to raw samples."""

from orrery.calibrate.measure.about import About, read_about, write_about
from orrery.calibrate.measure.batch import job_script
from orrery.calibrate.measure.files import Files
from orrery.calibrate.measure.from_logs import samples_of_logs
from orrery.calibrate.measure.host_speed import host_kernel_s
from orrery.calibrate.measure.ingest import ingested
from orrery.calibrate.measure.layout import Layout, check_layout, layout_of
from orrery.calibrate.measure.places import layout_now
from orrery.calibrate.measure.results import (
    DISTURBANCE,
    UNDISTURBED,
    CalibrationExperiment,
    CalibrationResults,
    CalibrationSample,
    Curve,
    Floats,
    quantile,
    read,
)
from orrery.calibrate.measure.session import measure, write_assumed
from orrery.calibrate.measure.sharing_plan import LEAST_WAIT_S

__all__ = [
    "DISTURBANCE",
    "LEAST_WAIT_S",
    "UNDISTURBED",
    "About",
    "CalibrationExperiment",
    "CalibrationResults",
    "CalibrationSample",
    "Curve",
    "Files",
    "Floats",
    "Layout",
    "check_layout",
    "host_kernel_s",
    "ingested",
    "job_script",
    "layout_now",
    "layout_of",
    "measure",
    "quantile",
    "read",
    "read_about",
    "samples_of_logs",
    "write_about",
    "write_assumed",
]
