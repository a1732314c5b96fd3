# SPDX-License-Identifier: BSD-3-Clause
"""MPI jobs that span sites which cannot reach each other.

A site's frontal (`frontal`) listens where the others reach it. On each node of a job a helper (`helper`) runs beside the
launcher's daemon (`job`); it talks to the processes of the node, into which the connect layer is preloaded (`layer`,
`src/measure/relay`), by a local socket (`local`), and to frontals and other helpers by TLS with keys on both sides (`keys`,
`secure`). Requests are lines of JSON, and what follows one is data (`wire`). `gate` bounds who may come in, `settings` reads
relay.toml. docs/design/relay.md has the protocol.
"""
