# SPDX-License-Identifier: BSD-3-Clause
"""The network models by name."""

from typing import Literal

Model = Literal["hybrid", "loggps", "fluid"]

TABLES: dict[Model, str] = {"hybrid": "network", "loggps": "loggps"}
"""Where a platform has the parameters of a model; fluid needs none."""

NO_ROUTES = "connects nodes along routes, which the model loggps has none of"
"""Why a platform with a broker has no model loggps."""
