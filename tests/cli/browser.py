# SPDX-License-Identifier: Apache-2.0
"""Opens reports in a headless Chromium over WebDriver (chromedriver), with the standard library alone.

    with Browser(folder) as browser:
        browser.open("file:///.../report.html")
        browser.script("return document.title")

Everything that it starts is in one process group, which ends with it.
"""
import base64
import json
import os
import pathlib
import shutil
import signal
import subprocess
import time
import urllib.error
import urllib.request


def find(*names):
    return next((path for path in map(shutil.which, names) if path), None)


class Browser:
    def __init__(self, folder, width=1200, height=900, dark=False):
        self.folder = pathlib.Path(folder)
        self.size = (width, height)
        self.dark = dark
        self.driver = None
        self.session = None

    def __enter__(self):
        home = self.folder / "home"
        home.mkdir(exist_ok=True)
        environment = dict(os.environ, HOME=str(home), TMPDIR=str(home), XDG_CONFIG_HOME=str(home), XDG_CACHE_HOME=str(home))
        log = open(self.folder / "driver.log", "w")
        self.driver = subprocess.Popen([find("chromedriver"), "--port=0"], stdout=log, stderr=log, env=environment,
                                       start_new_session=True)
        try:
            self.start(home)
        except BaseException:
            self.__exit__()
            raise
        return self

    def start(self, home):
        text = ""
        for _ in range(300):
            text = (self.folder / "driver.log").read_text()
            if "started successfully on port" in text:
                break
            time.sleep(0.1)
        self.url = "http://127.0.0.1:%s" % text.split("started successfully on port ")[1].split(".")[0].strip()
        arguments = ["--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--hide-scrollbars",
                     "--window-size=%d,%d" % self.size, "--user-data-dir=%s" % (home / "profile"),
                     "--disable-background-networking", "--disable-component-update", "--force-color-profile=srgb"]
        # Root, and users without namespaces of their own, have no sandbox; it holds our own page.
        arguments.append("--no-sandbox")
        if self.dark:
            arguments.append("--force-dark-mode")
        answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
            "goog:chromeOptions": {"args": arguments, "binary": find("chromium", "chromium-browser", "google-chrome")},
            "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
        self.session = "/session/" + answer["sessionId"]

    def __exit__(self, *_):
        try:
            if self.session:
                self.call("DELETE", self.session)
        except OSError:
            pass
        for sign in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(self.driver.pid, sign)
                self.driver.wait(5)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                pass

    def call(self, method, path, body=None):
        request = urllib.request.Request(self.url + path, method=method, headers={"Content-Type": "application/json"},
                                         data=None if body is None else json.dumps(body).encode())
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise OSError(error.read().decode()[:500]) from None

    def open(self, path, ready="return document.documentElement.dataset.ready"):
        """Opens a file and waits until all is drawn; returns the milliseconds that the page took."""
        self.call("POST", self.session + "/url", {"url": pathlib.Path(path).resolve().as_uri()})
        for _ in range(600):
            found = self.script(ready)
            if found:
                return float(found)
            time.sleep(0.05)
        raise OSError("the page is not ready: %s" % self.console())

    def script(self, text, *arguments):
        return self.call("POST", self.session + "/execute/sync", {"script": text, "args": list(arguments)})

    def wait(self, text):
        for _ in range(200):
            if self.script(text):
                return True
            time.sleep(0.05)
        return False

    def command(self, name, **parameters):
        return self.call("POST", self.session + "/goog/cdp/execute", {"cmd": name, "params": parameters})

    def click(self, x, y):
        """At a place of the view."""
        at = {"x": int(x), "y": int(y), "type": "pointerMove", "duration": 0}
        self.call("POST", self.session + "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
            at, {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]}]})

    def drag(self, x, y, to_x, to_y):
        move = lambda a, b: {"x": int(a), "y": int(b), "type": "pointerMove", "duration": 60}
        self.call("POST", self.session + "/actions", {"actions": [{"type": "pointer", "id": "mouse", "actions": [
            move(x, y), {"type": "pointerDown", "button": 0}, move((x + to_x) / 2, (y + to_y) / 2), move(to_x, to_y),
            {"type": "pointerUp", "button": 0}]}]})

    def press(self, key):
        self.call("POST", self.session + "/actions", {"actions": [{"type": "key", "id": "keys", "actions": [
            {"type": "keyDown", "value": key}, {"type": "keyUp", "value": key}]}]})

    def logs(self, kind):
        return self.call("POST", self.session + "/se/log", {"type": kind})

    def console(self):
        return [entry["message"] for entry in self.logs("browser")]

    def requests(self):
        """The addresses that were asked for since the last call."""
        out = []
        for entry in self.logs("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                out.append(message["params"]["request"]["url"])
        return out

    def picture(self, path, whole=True):
        if whole:
            size = self.command("Page.getLayoutMetrics")["cssContentSize"]
            data = self.command("Page.captureScreenshot", captureBeyondViewport=True,
                                clip=dict(x=0, y=0, width=size["width"], height=size["height"], scale=1))["data"]
        else:
            data = self.call("GET", self.session + "/screenshot")
        pathlib.Path(path).write_bytes(base64.b64decode(data))

    def paper(self, path):
        pathlib.Path(path).write_bytes(base64.b64decode(self.call("POST", self.session + "/print", {"page": {"width": 21, "height": 29.7}})))
