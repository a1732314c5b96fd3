# SPDX-License-Identifier: BSD-3-Clause
"""Files of settings as libraries load them."""
