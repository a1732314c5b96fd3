# SPDX-License-Identifier: BSD-3-Clause
"""Experiments of published papers, run again: what came out there, and what comes out here.

A paper is a folder of `library`: `paper.toml` says what it is, each other TOML file is an experiment (`experiment`) with the
claims that are checked on what it gives (`claims`). Platforms are those that the paper's hardware and point-to-point figures
give; nothing is fitted to a claim.
"""
