# SPDX-License-Identifier: BSD-3-Clause
"""An option that has one value is given once: of two, neither is taken without a word."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import typer

from harness import Sandbox
from orrery.cli import app
from orrery.errors import InputError


def commands(group: Any, context: Any) -> Iterator[tuple[Any, Any]]:
    """All commands below a group, each with a context."""
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        inner = type(context)(command, info_name=name, parent=context)
        if hasattr(command, "list_commands"):
            yield from commands(command, inner)
        else:
            yield command, inner


def all_commands() -> list[tuple[Any, Any]]:
    from typer._click import Context

    root = typer.main.get_command(app.load([]))
    return list(commands(root, Context(root, info_name="orrery")))


def test_every_option_with_one_value_is_refused_when_it_is_given_twice() -> None:
    refused = 0
    for command, context in all_commands():
        for option in command.params:
            if option.param_type_name != "option" or option.is_flag or option.multiple or option.is_eager:
                continue
            twice = [word for spelling in (option.opts[0], option.opts[-1]) for word in (spelling, "1")]
            with pytest.raises(InputError, match="is given twice, and has one value: keep one"):
                command.make_parser(context).parse_args(twice)
            refused += 1
    assert refused > 200


def test_lists_and_switches_may_be_given_several_times() -> None:
    for command, context in all_commands():
        for option in command.params:
            if option.param_type_name == "option" and option.multiple and not option.is_flag:
                command.make_parser(context).parse_args([option.opts[0], "1", option.opts[0], "2"])
            if option.param_type_name == "option" and option.is_flag and not option.secondary_opts:
                command.make_parser(context).parse_args([option.opts[0], option.opts[0]])


def test_the_refusal_names_the_option_and_the_cure_works(sandbox: Sandbox) -> None:
    twice = sandbox.orrery("collective", "bcast", "-n", "4", "-s", "8", "-p", "graphene", "--platform", "default")
    assert twice.code == 2
    assert twice.err == "orrery: error: -p/--platform: is given twice, and has one value: keep one\n"
    assert sandbox.orrery("collective", "bcast", "-n", "4", "-s", "8", "-p", "graphene").code == 0


def test_options_of_the_program_are_its_own(sandbox: Sandbox) -> None:
    ended = sandbox.orrery("run", "-n", "2", sandbox.program("hello"), "-p", "a", "-p", "b")
    assert ended.code == 0


def test_start_commands_refuse_a_second_number_of_ranks(sandbox: Sandbox) -> None:
    hello = sandbox.program("hello")
    twice = sandbox.orrery("mpiexec", "-n", "2", "-np", "3", hello)
    assert twice.code == 2
    assert "mpiexec -np: is given twice for one program, and has one value: keep one" in twice.err
    assert sandbox.orrery("mpiexec", "-n", "2", hello, ":", "-n", "1", hello).code == 0
    assert sandbox.orrery("mpiexec", "-n", "2", "-x", "A=1", "-x", "B=2", hello).code == 0
