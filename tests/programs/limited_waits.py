# SPDX-License-Identifier: BSD-3-Clause
"""Waits of Python that nothing ends before their limit: 1000 s, which no test would wait for, unless something else says.

Prints for each what it is, and how many seconds have passed by MPI_Wtime.
"""

import asyncio
import datetime as dt
import queue
import select
import signal
import socket
import subprocess
import threading
import time
from collections.abc import Callable

from mpi4py import MPI

LIMIT_S = 1000


def say(text: str) -> None:
    print(text, flush=True)  # noqa: T201


def show(name: str, wait: Callable[[], object], raises: type[BaseException] | None = None) -> None:
    begun = MPI.Wtime()
    try:
        wait()
        ended: type[BaseException] | None = None
    except Exception as error:
        ended = type(error)
    say(f"{name}: {MPI.Wtime() - begun:.6f}")
    if ended is not raises and not (ended and raises and issubclass(ended, raises)):
        say(f"{name} ended otherwise: {ended}")


def show_clock(name: str, read: Callable[[], float]) -> None:
    begun = read()
    time.sleep(LIMIT_S)
    say(f"{name}: {read() - begun:.6f}")


async def wait_for_nothing() -> None:
    await asyncio.wait_for(asyncio.Event().wait(), LIMIT_S)


def wait_for_signal(arm: Callable[[], object]) -> None:
    arm()
    signal.pause()


show_clock("time.monotonic", time.monotonic)
show_clock("datetime.now", lambda: dt.datetime.now(dt.UTC).timestamp())
show_clock("MPI.Wtime", MPI.Wtime)
show("time.sleep", lambda: time.sleep(LIMIT_S))
first, second = socket.socketpair()
first.settimeout(LIMIT_S)
show("select.select", lambda: select.select([first], [], [], LIMIT_S))
poll = select.poll()
poll.register(first, select.POLLIN)
show("select.poll", lambda: poll.poll(LIMIT_S * 1000))
epoll = select.epoll()
epoll.register(first, select.EPOLLIN)
show("select.epoll", lambda: epoll.poll(LIMIT_S))
show("socket.settimeout", lambda: first.recv(1), TimeoutError)
show("asyncio.sleep", lambda: asyncio.run(asyncio.sleep(LIMIT_S)))
show("asyncio.wait_for", lambda: asyncio.run(wait_for_nothing()), TimeoutError)
show("Lock.acquire", lambda: [lock := threading.Lock(), lock.acquire(), lock.acquire(timeout=LIMIT_S)])
show("Event.wait", lambda: threading.Event().wait(LIMIT_S))


def wait_for_condition() -> None:
    with (condition := threading.Condition()):
        condition.wait(LIMIT_S)


show("Condition.wait", wait_for_condition)
show("queue.get", lambda: queue.Queue[int]().get(timeout=LIMIT_S), queue.Empty)
signal.signal(signal.SIGALRM, lambda *_: None)
show("signal.setitimer", lambda: wait_for_signal(lambda: signal.setitimer(signal.ITIMER_REAL, LIMIT_S)))
show("signal.alarm", lambda: wait_for_signal(lambda: signal.alarm(LIMIT_S)))
show("signal.sigtimedwait", lambda: signal.sigtimedwait([signal.SIGUSR1], LIMIT_S))

# These take the host's time.
show(
    "subprocess.run",
    lambda: subprocess.run(["sleep", "600"], stdout=subprocess.PIPE, timeout=0.2, check=True),
    subprocess.TimeoutExpired,
)
ended = subprocess.run(["echo", "a child's words"], capture_output=True, text=True, timeout=LIMIT_S, check=True)
say(ended.stdout.strip())
held = threading.Lock()
held.acquire()
waiter = threading.Thread(target=held.acquire)
waiter.start()
show("Thread.join", lambda: waiter.join(0.2))
held.release()
waiter.join()
