"""A small client of a browser's driver: W3C WebDriver over HTTP, and the browser's own commands beside it.

The protocol is a handful of requests; speaking it here needs no package, and nothing ever looks for a driver
to download.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, cast

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

__all__ = ["KEYS", "Browser", "Element", "binaries"]

KEYS = {"Tab": "\ue004", "Enter": "\ue007", "Escape": "\ue00c", "Space": " "}
"""Keys as the protocol writes them."""

_ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
"""Name under which the protocol hands elements over."""
_FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--force-color-profile=srgb",
)
_TIMEOUT_S = 60

# The driver is on this machine: no proxy stands between.
_OPENER = urllib.request.build_opener(urllib.request.ProxyHandler({}))


def binaries() -> tuple[str, str] | None:
    """Return the paths of Chromium and its driver, None where one is missing."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    driver = shutil.which("chromedriver")
    return (browser, driver) if browser and driver else None


def _request(method: str, url: str, content: object | None = None) -> Any:  # noqa: ANN401 - whatever JSON holds
    data = None if content is None else json.dumps(content).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json"}, method=method)  # noqa: S310 - the driver's own address
    try:
        with _OPENER.open(request, timeout=_TIMEOUT_S) as answer:
            return json.load(answer)["value"]
    except urllib.error.HTTPError as error:
        told = json.load(error)["value"]
        raise RuntimeError(f"{told['error']}: {told['message']}") from None


@dataclass(frozen=True, slots=True)
class Element:
    """An element of the page."""

    browser: Browser
    id: str

    def click(self) -> None:
        """Scroll the element into view and click it."""
        self.browser.post(f"element/{self.id}/click", {})

    def type(self, text: str) -> None:
        """Give the element the focus and type."""
        self.browser.post(f"element/{self.id}/value", {"text": text})

    @property
    def text(self) -> str:
        """Return the text that is seen."""
        return str(self.browser.get(f"element/{self.id}/text"))


@dataclass(slots=True)
class Browser:
    """A headless browser with an empty profile; a context manager that ends it."""

    chromium: str
    driver: str
    profile: Path
    _process: subprocess.Popen[str] = field(init=False)
    _session: str = field(init=False, default="")

    def __enter__(self) -> Self:
        """Start the driver on a free port and open a window."""
        self._process = subprocess.Popen(  # noqa: S603 - the path was looked up by this module
            [self.driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        address = f"http://127.0.0.1:{self._port()}/session"
        options = {"binary": self.chromium, "args": [*_FLAGS, f"--user-data-dir={self.profile}"]}
        wanted = {
            "browserName": "chrome",
            "goog:chromeOptions": options,
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
        }
        opened = _request("POST", address, {"capabilities": {"alwaysMatch": wanted}})
        self._session = f"{address}/{opened['sessionId']}"
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the window and end the driver."""
        if self._session:
            _request("DELETE", self._session)
        self._process.terminate()
        self._process.wait(timeout=_TIMEOUT_S)
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _port(self) -> int:
        if self._process.stdout is None:
            raise RuntimeError("the driver has no output")
        for line in self._process.stdout:
            found = re.search(r"started successfully on port (\d+)", line)
            if found:
                return int(found[1])
        raise RuntimeError("the driver did not start")

    def get(self, path: str) -> Any:  # noqa: ANN401 - whatever JSON holds
        """Return what the driver answers to a question."""
        return _request("GET", f"{self._session}/{path}")

    def post(self, path: str, content: object) -> Any:  # noqa: ANN401 - whatever JSON holds
        """Return what the driver answers to an order."""
        return _request("POST", f"{self._session}/{path}", content)

    def command(self, name: str, **values: object) -> Any:  # noqa: ANN401 - whatever JSON holds
        """Return what the browser answers to a command of its own protocol."""
        return self.post("goog/cdp/execute", {"cmd": name, "params": values})

    def open(self, path: Path, fragment: str = "") -> None:
        """Open a file of this machine; a page that is open already is loaded anew."""
        self.post("url", {"url": "about:blank"})
        self.post("url", {"url": f"{path.as_uri()}{fragment}"})

    def run(self, code: str, *values: object) -> Any:  # noqa: ANN401 - whatever JSON holds
        """Return what a piece of script returns."""
        return self.post("execute/sync", {"script": code, "args": list(values)})

    def one(self, selector: str) -> Element:
        """Return the first element of a selector.

        Raises:
            RuntimeError: there is none.
        """
        found = self.post("element", {"using": "css selector", "value": selector})
        return Element(self, str(found[_ELEMENT]))

    def press(self, *keys: str) -> None:
        """Press keys one after the other, where the focus is."""
        strokes = [
            {"type": kind, "value": KEYS.get(key, key)} for key in keys for kind in ("keyDown", "keyUp")
        ]
        self.post("actions", {"actions": [{"type": "key", "id": "keys", "actions": strokes}]})

    def hover(self, element: Element) -> None:
        """Move the pointer over an element."""
        move = {
            "type": "pointerMove",
            "duration": 0,
            "x": 0,
            "y": 0,
            "origin": {_ELEMENT: element.id},
        }
        self.post("actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [move]}]})

    def size(self, width: int, height: int = 800, scale: float = 1) -> None:
        """Give the window a size in pixels of the page."""
        self.command(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=scale,
            mobile=width < 500,
        )

    def log(self, kind: str) -> list[dict[str, Any]]:
        """Return the entries of a log since it was last asked for: ``browser`` or ``performance``."""
        return cast("list[dict[str, Any]]", self.post("se/log", {"type": kind}))

    def requests(self) -> list[str]:
        """Return the addresses that were asked for since the last call."""
        messages = [json.loads(entry["message"])["message"] for entry in self.log("performance")]
        return [
            str(message["params"]["request"]["url"])
            for message in messages
            if message["method"] == "Network.requestWillBeSent"
        ]

    def complaints(self) -> list[str]:
        """Return what the page wrote to the console since the last call."""
        return [str(entry["message"]) for entry in self.log("browser")]
