# SPDX-License-Identifier: BSD-3-Clause
"""A page in a real browser: Chromium, without a screen."""

from __future__ import annotations

import asyncio
import base64
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, TypeVar

from needs import NEEDS
from skips import needs

Result = TypeVar("Result")

needs_browser = needs("chromium")

_READY_S = 60.0


class Tab:
    """A page that is open."""

    def __init__(self, tab: Any) -> None:
        self._tab = tab

    async def evaluate(self, script: str) -> Any:
        """The value of an expression; promises are awaited. What the script throws is an error."""
        answer = await self._tab.send_command(
            "Runtime.evaluate", {"expression": script, "returnByValue": True, "awaitPromise": True}
        )
        result = answer["result"]
        if "exceptionDetails" in result:
            raise AssertionError(result["exceptionDetails"])
        return result["result"].get("value")

    async def ready(self) -> float:
        """Wait until all parts are drawn; milliseconds from the begin of loading."""
        await self.until("document.documentElement.dataset.ready || document.documentElement.dataset.failed")
        assert await self.evaluate("document.documentElement.dataset.failed ?? null") is None
        return float(await self.evaluate("document.documentElement.dataset.ready"))

    async def until(self, condition: str) -> None:
        """Wait until an expression is true."""
        async with asyncio.timeout(_READY_S):
            while not await self.evaluate(f"Boolean({condition})"):  # noqa: ASYNC110  it is in another process
                await asyncio.sleep(0.05)

    async def frame(self) -> None:
        """Wait until what changed is drawn."""
        await self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    async def key(self, key: str) -> None:
        """Press a key where the focus is."""
        text = {"text": key} if len(key) == 1 else {}
        await self._tab.send_command("Input.dispatchKeyEvent", {"type": "keyDown", "key": key, **text})
        await self._tab.send_command("Input.dispatchKeyEvent", {"type": "keyUp", "key": key})
        await self.frame()

    async def mouse(self, kind: str, x: float, y: float, **more: object) -> None:
        """An event of the mouse at a place of the window, such as `mousePressed`."""
        await self._tab.send_command("Input.dispatchMouseEvent", {"type": kind, "x": x, "y": y, **more})

    async def click(self, x: float, y: float) -> None:
        """The left button."""
        for kind in ("mouseMoved", "mousePressed", "mouseReleased"):
            pressed = {} if kind == "mouseMoved" else {"button": "left", "clickCount": 1}
            await self.mouse(kind, x, y, **pressed)
        await self.frame()

    async def dark(self, *, on: bool) -> None:
        """What the system says that it is set to."""
        value = "dark" if on else "light"
        await self._tab.send_command(
            "Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": value}]}
        )
        await self.frame()

    async def picture(self) -> bytes:
        """A PNG of the window."""
        answer = await self._tab.send_command("Page.captureScreenshot", {})
        return base64.b64decode(answer["result"]["data"])


@asynccontextmanager
async def _opened(address: str, before: str) -> AsyncIterator[Tab]:
    import choreographer

    sandbox = os.geteuid() != 0  # Chromium has none for root
    async with choreographer.Browser(
        path=NEEDS["chromium"].program(), headless=True, enable_sandbox=sandbox
    ) as browser:
        tab = await browser.create_tab("about:blank")
        window = {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        await tab.send_command("Emulation.setDeviceMetricsOverride", window)
        await tab.send_command("Page.enable", {})
        await tab.send_command("Page.addScriptToEvaluateOnNewDocument", {"source": before})
        await tab.send_command("Page.navigate", {"url": address})
        yield Tab(tab)


def in_browser(page: Path, look: Callable[[Tab], Awaitable[Result]], before: str = "") -> Result:
    """Open a page, give it to `look`, and close the browser. `before`: a script that runs before those of the page."""

    address = page.absolute().as_uri()

    async def go() -> Result:
        async with _opened(address, before) as tab:
            await tab.until("document.querySelector('header')")
            return await look(tab)

    return asyncio.run(go())
