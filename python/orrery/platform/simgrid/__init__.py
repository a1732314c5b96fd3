# SPDX-License-Identifier: BSD-3-Clause
"""SimGrid's platform files (XML, version 3 to 4.1), read into platform files of Orrery's."""
