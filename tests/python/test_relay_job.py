# SPDX-License-Identifier: BSD-3-Clause
"""The commands of `orrery relay` on this machine's loopback: what they refuse, and how what they start ends."""

from __future__ import annotations

import datetime as dt
import os
import signal
import subprocess
from pathlib import Path

import pytest

import hostile
from harness import Ended, Sandbox, free_port, next_line, until
from orrery.relay.launching import write_agent
from relays import write_relay


@pytest.fixture
def config(sandbox: Sandbox) -> Path:
    """This node is of site a; nothing is of site b."""
    sandbox.environment["XDG_CACHE_HOME"] = str(sandbox.built / "cache")
    closed = {"policy": "outbound"}
    sites = {
        "a": {"networks": ["127.0.0.0/16"], "frontal": f"127.0.0.1:{free_port()}", **closed},
        "b": {"networks": ["203.0.113.0/24"], "frontal": "a", **closed},
    }
    return write_relay(sandbox.folder, sites, limits={"patience_s": 2})


def serving(sandbox: Sandbox) -> subprocess.Popen[str]:
    """The frontal of a, when it listens."""
    process = sandbox.start("relay", "serve", "--config", "relay.toml", "--site", "a")
    assert process.stderr is not None
    assert "the frontal of site a listens on 127.0.0.1:" in next_line(process.stderr)
    return process


def ended(sandbox: Sandbox, process: subprocess.Popen[str], number: signal.Signals) -> Ended:
    process.send_signal(number)
    return sandbox.finish(process)


def test_keys_are_valid_as_long_as_wanted(sandbox: Sandbox) -> None:
    assert sandbox.orrery("relay", "keys", "keys", "--site", "a", "--days", "5").code == 0
    listed = sandbox.orrery("relay", "keys", "keys", "--list").out.splitlines()
    assert [line.split("  ")[0] for line in listed] == ["frontal.a", "helper.a"]
    until = f"until {dt.datetime.now(dt.UTC) + dt.timedelta(days=5):%Y-%m-%d}"
    assert all(until in line for line in listed)


def test_making_keys_and_listing_them_are_two_commands(sandbox: Sandbox) -> None:
    for more in ([], ["--list", "--site", "a"]):
        done = sandbox.orrery("relay", "keys", "keys", *more)
        assert done.code == 2
        assert "expected --site NAME, once for each site that gets keys, or --list" in done.err


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("relay serve --site c", "--site c: relay.toml has no such site"),
        ("relay serve --site b", "the frontal of a serves this site (sites.b.frontal)"),
        ("relay serve --config no.toml --site a", "no.toml: No such file or directory"),
        ("relay run --config relay.toml", "expected -- and what starts the job"),
        ("relay run --cc no-such-cc -- true", '--cc "no-such-cc": No such file or directory'),
        ("relay run --agent ssh -- mpirun --mca plm_rsh_agent ssh true", "plm_rsh_agent: nodes would get no helper"),
        ("relay run -- mpiexec -launcher-exec ssh true", "name the launch agent to orrery relay run: --agent COMMAND"),
        ("relay keys keys --site a", "--site a: keys/a is there; remove it"),
    ],
)
def test_what_cannot_be_is_refused(sandbox: Sandbox, config: Path, line: str, said: str) -> None:
    assert config.exists()
    done = sandbox.orrery(*line.split())
    assert done.code == 2
    assert said in done.err


def test_a_node_of_no_site_is_refused(sandbox: Sandbox, config: Path) -> None:
    config.write_text(config.read_text().replace("127.0.0.0/16", "198.51.100.0/24"))
    done = sandbox.orrery("relay", "run", "--", "true")
    assert done.code == 2
    assert "is in no network of a site; add one to relay.toml" in done.err


def test_without_a_relay_nothing_is_started(sandbox: Sandbox, config: Path) -> None:
    assert config.exists()
    done = sandbox.orrery("relay", "run", "--", "touch", "started")
    assert done.code == 1
    assert "does not take this node: 127.0.0.1:" in done.err
    assert not (sandbox.folder / "started").exists()


def test_a_frontal_whose_address_is_not_of_this_machine_says_where_it_stands(sandbox: Sandbox, config: Path) -> None:
    config.write_text(config.read_text().replace("127.0.0.1:", "203.0.113.1:"))
    done = sandbox.orrery("relay", "serve", "--site", "a")
    assert done.code == 1
    assert ", as sites.a of relay.toml says: Cannot assign requested address" in done.err


def test_the_exit_code_is_that_of_the_command(sandbox: Sandbox, config: Path) -> None:
    assert config.exists()
    frontal = serving(sandbox)
    assert sandbox.orrery("relay", "run", "--", "sh", "-c", "exit 7").code == 7
    assert sandbox.orrery("relay", "node", "--job", "j", "--", "sh", "-c", "kill -9 $$").code == 137
    assert sandbox.orrery("relay", "run", "--", "no-such-program").err.count("cannot start") == 1
    done = ended(sandbox, frontal, signal.SIGTERM)
    assert done.code == 0
    assert "job j has left" in done.err


def test_ctrl_c_ends_a_frontal_without_a_traceback(sandbox: Sandbox, config: Path) -> None:
    assert config.exists()
    done = ended(sandbox, serving(sandbox), signal.SIGINT)
    assert done.code == 130
    assert "interrupted: jobs that used this relay have ended" in done.err
    assert "Traceback" not in done.err


@pytest.mark.parametrize("stubborn", ["", "trap '' TERM; "])
def test_what_is_started_ends_with_the_relay(sandbox: Sandbox, config: Path, stubborn: str) -> None:
    """A child that has left the command's group, as daemons do, ends as well."""
    assert config.exists()
    frontal = serving(sandbox)
    text = f"{stubborn}(setsid sleep 1234 &) ; touch started; while :; do sleep 1; done"
    process = sandbox.start("relay", "run", "--", "sh", "-c", text)
    until((sandbox.folder / "started").exists)
    ended(sandbox, frontal, signal.SIGKILL)
    done = sandbox.finish(process)
    assert done.code == 1
    assert "the relay of site a (127.0.0.1:" in done.err
    assert (
        "is gone: it has closed the connection; it carried no connection of this node; sites a and b do not" in done.err
    )
    assert done.err.count(" is gone: ") == 1
    # `sandbox` sees to it that no process is left.


@pytest.mark.parametrize("stubborn", ["", "trap '' TERM; "])
def test_what_a_killed_helper_has_started_ends_with_a_word(sandbox: Sandbox, config: Path, stubborn: str) -> None:
    """Its guard sees to it, also of a child that has left the command's group, and of a command that does not mind SIGTERM."""
    assert config.exists()
    frontal = serving(sandbox)
    text = f"{stubborn}(setsid sleep 1234 &) ; touch started; while :; do sleep 1; done"
    process = sandbox.start("relay", "run", "--", "sh", "-c", text)
    until((sandbox.folder / "started").exists)
    done = ended(sandbox, process, signal.SIGKILL)
    assert done.code == -signal.SIGKILL
    said = (
        "the helper of 127.0.0.1, site a, has ended unexpectedly; it carried no connection; the job ends on this node"
    )
    assert f"orrery: {said}" in done.err.splitlines(), done.err
    assert "the helper of 127.0.0.1, site a, is gone: it was closed" in ended(sandbox, frontal, signal.SIGTERM).err
    assert sandbox.orrery("platform", "list").code == 0  # removes its temporary folder


def test_a_guard_that_is_killed_is_not_missed(sandbox: Sandbox, config: Path) -> None:
    assert config.exists()
    frontal = serving(sandbox)
    process = sandbox.start("relay", "run", "--", "sh", "-c", "touch started; until [ -e go ]; do sleep 0.1; done")
    until((sandbox.folder / "started").exists)
    for child in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split():
        if b"orrery.relay.guard" in Path(f"/proc/{child}/cmdline").read_bytes():
            os.kill(int(child), signal.SIGKILL)
    (sandbox.folder / "go").touch()
    assert sandbox.finish(process).code == 0
    ended(sandbox, frontal, signal.SIGTERM)


def test_a_node_whose_job_is_not_under_way_where_it_was_started_starts_nothing(sandbox: Sandbox, config: Path) -> None:
    assert config.exists()
    frontal = serving(sandbox)
    done = sandbox.orrery("relay", "node", "--job", "j", "--started-on", "127.0.0.9", "--", "touch", "started")
    assert done.code == 1
    assert (
        "the helper of 127.0.0.9, site a, where the job was started, does not answer: no helper of this job" in done.err
    )
    assert not (sandbox.folder / "started").exists()
    ended(sandbox, frontal, signal.SIGTERM)


def test_a_second_command_of_a_job_uses_the_helper_that_is_there(sandbox: Sandbox, config: Path) -> None:
    assert config.exists()
    frontal = serving(sandbox)
    first = sandbox.start(
        "relay", "node", "--job", "j", "--", "sh", "-c", "touch first; until [ -e second ]; do sleep 0.1; done"
    )
    until((sandbox.folder / "first").exists)
    assert sandbox.orrery("relay", "node", "--job", "j", "--", "touch", "second").code == 0
    assert sandbox.finish(first).code == 0
    assert ended(sandbox, frontal, signal.SIGTERM).err.count("has left") == 1


def test_what_starts_a_helper_is_quoted_for_the_shell_of_its_node(tmp_path: Path) -> None:
    """An agent hands on its words as ssh does: joined by blanks, for a shell."""
    start = ["printf", "<%s>", "relay", "--config", f"/{hostile.FOLDER}/relay.toml", "*", "--"]
    script = write_agent(tmp_path, "sh -c 'host=$1; shift; exec sh -c \"$*\"' ssh", start)
    line = ["node1", "cd", "there;", "daemon", "'a b'", "*"]
    done = subprocess.run([script, *line], cwd=tmp_path, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    words = done.stdout.removeprefix("<").removesuffix(">").split("><")
    assert words == [*start[2:], "cd there; daemon 'a b' *"]
    assert [path.name for path in tmp_path.iterdir()] == ["agent"]
