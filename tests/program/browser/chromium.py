"""Chromium for the tests of pages.

A page draws what the server sends when it arrives, so a test asks with `expect`, which waits, what is shown.
Pictures go to the folder in RUNNER_PICTURES, if it is set.
"""

import os
import shutil
import time
import unittest

from playwright.sync_api import expect, sync_playwright

PICTURES = os.environ.get("RUNNER_PICTURES")

expect.set_options(timeout=60_000)


def launch(playwright):
    return playwright.chromium.launch(
        executable_path=shutil.which("chromium"), args=["--no-sandbox"])


def wait(page, condition):
    """Waits until an expression of a page is true. Playwright's own function for it needs `eval`, which
    the page forbids."""
    end = time.monotonic() + 60
    while not page.evaluate(f"Boolean({condition})"):
        if time.monotonic() > end:
            message = page.evaluate("document.getElementById('message')?.textContent")
            raise TimeoutError(f"{condition} does not come about; the page says {message!r}")
        time.sleep(0.02)


class ChromiumTest(unittest.TestCase):
    """A test with a page of Chromium, which must log no error."""

    @classmethod
    def setUpClass(cls):
        cls.playwright = sync_playwright().start()
        cls.addClassCleanup(cls.playwright.stop)
        cls.browser = launch(cls.playwright)
        cls.addClassCleanup(cls.browser.close)

    def setUp(self):
        self.context = self.browser.new_context(viewport={"width": 1280, "height": 720})
        self.page = self.context.new_page()
        self.errors = []
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("console", lambda line: line.type == "error" and self.errors.append(line.text))

    def tearDown(self):
        self.context.close()
        self.assertEqual(self.errors, [])

    def wait(self, condition):
        """Waits until an expression of the page is true. It may read `frame`, which a page lacks until
        its game has begun."""
        wait(self.page, f"frame && ({condition})")

    def text(self, selector):
        return self.page.locator(selector).inner_text()

    def set_position(self, text):
        self.open_panel("#edit")
        self.page.fill("#text", text)
        self.page.click("#paste button")
        self.wait(f"frame.text === {text!r}")
        self.close_panel()

    def open_panel(self, panel):
        """Opens a part of the panel as a user does. The contents of one that a script opens remain hidden
        in some versions of Chromium."""
        self.show_panel()
        if not self.page.locator(panel).evaluate("panel => panel.open"):
            self.page.click(f"{panel} > summary")

    def close_panel(self):
        if self.page.locator("#panel").is_visible():
            self.page.click("#panel-close")

    def show_panel(self):
        if self.page.locator("#panel").is_hidden():
            self.page.click("#panel-button")

    def assert_no_scrolling(self, width, height):
        size = self.page.evaluate("""() => {
            const { scrollWidth, scrollHeight } = document.documentElement;
            return [scrollWidth, scrollHeight];
        }""")
        self.assertEqual(size, [width, height])

    def picture(self, name):
        if PICTURES:
            self.page.screenshot(path=os.path.join(PICTURES, name))
