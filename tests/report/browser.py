"""A Chromium without a window, asked through a pipe (DevTools protocol): any width, its console, pictures."""

import base64
import contextlib
import json
import os
import select
import shutil
import subprocess
import time

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
_FLAGS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--hide-scrollbars",
    "--disable-background-networking", "--disable-component-update", "--disable-sync",
    "--remote-debugging-pipe",
)  # fmt: skip


class Browser:
    """A browser with one page; a context manager.

    Parameters
    ----------
    profile : Path
        A folder for what it writes.
    """

    def __init__(self, profile):
        read_ours, write_theirs = os.pipe()
        read_theirs, write_ours = os.pipe()
        self._in, self._out = read_ours, write_ours
        # The protocol is spoken through descriptors 3 and 4.
        command = f'exec "$@" 3<&{read_theirs} 4>&{write_theirs}'
        flags = (*_FLAGS, f"--user-data-dir={profile}", "about:blank")
        self._process = subprocess.Popen(
            ["bash", "-c", command, "chromium", CHROMIUM, *flags],
            pass_fds=(read_theirs, write_theirs), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(read_theirs)
        os.close(write_theirs)
        self._rest, self._number, self._session, self.events = b"", 0, None, []
        target = self("Target.getTargets")["targetInfos"][0]["targetId"]
        self._session = self("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        with contextlib.suppress(OSError, RuntimeError, TimeoutError):
            self("Browser.close")
        self._process.kill()
        self._process.wait()
        os.close(self._in)
        os.close(self._out)

    def __call__(self, method, **parameters):
        """Return what a method of the protocol answers; what happens meanwhile is kept in `events`."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        while True:
            found = self._next()
            if found.get("id") == self._number:
                if "error" in found:
                    raise RuntimeError(f"{method}: {found['error']}")
                return found["result"]
            self.events.append(found)

    def _next(self, patience=60.0):
        until = time.monotonic() + patience
        while b"\0" not in self._rest:
            if not select.select([self._in], [], [], max(0.0, until - time.monotonic()))[0]:
                raise TimeoutError("Chromium does not answer")
            part = os.read(self._in, 1 << 20)
            if not part:
                raise RuntimeError("Chromium has ended")
            self._rest += part
        message, _, self._rest = self._rest.partition(b"\0")
        return json.loads(message)

    def open(self, path, width, height=900, dark=False):
        """Open a file in a window of so many pixels, however narrow, and wait until it is loaded."""
        self.events.clear()
        self(
            "Emulation.setDeviceMetricsOverride",
            width=width, height=height, deviceScaleFactor=1, mobile=width < 600,
        )  # fmt: skip
        scheme = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self("Emulation.setEmulatedMedia", features=scheme)
        self("Page.navigate", url=f"file://{path}")
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self._next())

    def value(self, script):
        """Return what a script says, a promise of it too."""
        found = self("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in found:
            raise RuntimeError(found["exceptionDetails"])
        return found["result"].get("value")

    def complaints(self):
        """Return what stands on the console, and errors."""
        self.value("0")
        names = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        return [event for event in self.events if event.get("method") in names]

    def picture(self, path):
        """Write a picture of all of the page."""
        size = self("Page.getLayoutMetrics")["cssContentSize"]
        area = {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 16000), "scale": 1}
        found = self("Page.captureScreenshot", clip=area, captureBeyondViewport=True)
        path.write_bytes(base64.b64decode(found["data"]))
