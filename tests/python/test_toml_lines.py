# SPDX-License-Identifier: BSD-3-Clause
from __future__ import annotations

import pytest

from orrery.toml_lines import Path, line_of

TEXT = '''\
name = "x"
text = """
latency_s = 1
[[cluster]]
"""
[[cluster]]          # line 6
nodes = 1
[[cluster.cabinet]]
nodes = 2
[[cluster.cabinet]]
nodes = 3            # line 11
[[cluster]]
inline = { a = 1,
  "quoted key" = 2 }
  [[cluster.cabinet]]
  "nodes" = 4
[network]
tcp.window = 5       # line 18
[[network.between_nodes]]
end_bytes = 6
'''


@pytest.mark.parametrize(
    ("path", "line"),
    [
        (("name",), 1),
        (("cluster", 0), 6),
        (("cluster", 0, "nodes"), 7),
        (("cluster", 0, "cabinet", 0, "nodes"), 9),
        (("cluster", 0, "cabinet", 1, "nodes"), 11),
        (("cluster", 1, "inline", "a"), 13),  # of the key that holds the inline table
        (("cluster", 1, "cabinet", 0, "nodes"), 16),
        (("network", "tcp", "window"), 18),
        (("network", "between_nodes", 0, "end_bytes"), 20),
        (("network", "between_nodes", 0, "protocol"), 19),  # not there: of its table
        (("model",), None),
    ],
)
def test_a_key_is_found_on_its_line(path: Path, line: int | None) -> None:
    assert line_of(TEXT, path) == line
