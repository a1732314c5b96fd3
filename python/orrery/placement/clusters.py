# SPDX-License-Identifier: BSD-3-Clause
"""Several clusters with what is free on them: the file of `orrery place --clusters`, declared once."""

from __future__ import annotations

from functools import cached_property, partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, ValidationError

from orrery.documents import expected_value, parse_toml
from orrery.errors import InputError, did_you_mean, unknown_key
from orrery.job.source import Source
from orrery.platform.tables.quantities import Factor, Rate, Seconds, Size, Table
from orrery.toml_lines import line_of

_MOST_BYTES = 1 << 20


class FreeCluster(Table):
    """A cluster, and what of it a job can have."""

    name: Annotated[str, Field(min_length=1)]
    """Name of the cluster."""
    free_nodes: Annotated[int, Field(ge=0)]
    """Nodes that the job can have."""
    cores: Annotated[int, Field(gt=0)]
    """Cores of a node."""
    speed: Factor = 1.0
    """Speed of a core, relative to the host that runs simulations."""
    memory_bytes: Annotated[Size, Field(gt=0)] | None = None
    """Memory of a node; by default unknown, and groups that ask for memory are not served."""
    latency_s: Seconds
    """Latency between two nodes, one way."""
    rate_bytes_per_s: Annotated[Rate, Field(gt=0)]
    """Rate between two nodes."""
    wait_s: Seconds = 0.0
    """How long a job is expected to wait in the cluster's queue."""
    cost_per_core_hour: Annotated[float, Field(ge=0, allow_inf_nan=False)] = 0.0
    """Price of a core for an hour, in any unit that is the same for all clusters. Whole nodes are paid."""


class FreeNetwork(Table):
    """What joins two clusters."""

    clusters: Annotated[list[str], Field(min_length=2, max_length=2)]
    """Names of both."""
    latency_s: Seconds
    """Latency between nodes of both, one way."""
    rate_bytes_per_s: Annotated[Rate, Field(gt=0)]
    """Rate between them."""


class Sites(Table):
    """A whole file."""

    clusters: Annotated[list[FreeCluster], Field(alias="cluster", min_length=1, max_length=4096)]
    """Clusters, one `[[cluster]]` each."""
    networks: list[FreeNetwork] = Field(default=[], alias="network")
    """What joins them, one `[[network]]` for each pair; pairs without one are not for groups that ask for a network to each other."""

    @cached_property
    def joined(self) -> dict[frozenset[str], FreeNetwork | FreeCluster]:
        """What joins clusters, by the names of both; by a single name its own network."""
        own = {frozenset([cluster.name]): cluster for cluster in self.clusters}
        return {**own, **{frozenset(network.clusters): network for network in self.networks}}


def load_sites(file: Path) -> Sites:
    """Read and check a file of clusters. Raises InputError naming file, line and key."""
    try:
        with file.open("rb") as opened:
            content = opened.read(_MOST_BYTES + 1)
        text = content.decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{file}: {error.strerror if isinstance(error, OSError) else 'is not UTF-8 text'}") from None
    if len(content) > _MOST_BYTES:
        raise InputError(f"{file}: is larger than {_MOST_BYTES >> 20} MiB")
    source = Source(str(file), partial(line_of, text))
    try:
        sites = Sites.model_validate(parse_toml(file, text))
    except ValidationError as error:
        details = min(error.errors(include_url=False), key=lambda detail: detail["type"] == "missing")
        raise source.error(details["loc"], _problem(details["type"], details)) from None
    _check_names(source, sites)
    return sites


def _check_names(source: Source, sites: Sites) -> None:
    names: dict[str, int] = {}
    for number, cluster in enumerate(sites.clusters):
        if names.setdefault(cluster.name, number) != number:
            raise source.error(("cluster", number, "name"), f'another cluster is "{cluster.name}", too')
    seen: dict[frozenset[str], int] = {}
    for number, network in enumerate(sites.networks):
        key = ("network", number, "clusters")
        for name in network.clusters:
            if name not in names:
                raise source.error(key, f'there is no cluster "{name}"{did_you_mean(name, names)}')
        ends = frozenset(network.clusters)
        if len(ends) == 1:
            raise source.error(key, "names one cluster twice; its own network is in its table")
        if (first := seen.setdefault(ends, number)) != number:
            raise source.error(key, f"network[{first}] joins these clusters already")


def _problem(kind: str, details: Any) -> str:
    if kind == "extra_forbidden":
        model = FreeNetwork if details["loc"][0] == "network" else FreeCluster if len(details["loc"]) > 1 else Sites
        known = [field.alias or name for name, field in model.model_fields.items()]
        return unknown_key(details["loc"][-1], known)
    said = expected_value(details)
    return f"{said[:1].lower()}{said[1:]}"
