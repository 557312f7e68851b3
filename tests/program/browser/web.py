"""Tests of the static page in Chromium.

The variable PAGE names the folder that `framework/web/build` made, target/page by default; RUNNER names the
program, whose values the page must have.
"""

import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import time
import unittest

from chromium import ChromiumTest, address, close, site

RUNNER = os.environ.get("RUNNER", "runner")
ROOT = pathlib.Path(__file__).parents[3]
PAGE = pathlib.Path(os.environ.get("PAGE", ROOT / "target" / "page"))

POSITIONS = {
    "2048": "2,4,8,16/0,2,0,4/64,32,16,2/1024,256,128,64",
    "threes": "3,1,0,2/6,0,3,0/12,24,0,1/48,96,3,2 next=2 bag=2,3,3",
}

GLOBALS = """async () => {
    const { view } = await import("./program/view.js");
    Object.defineProperty(window, "frame", { get: () => view.frame });
}"""


class StaticPage(ChromiumTest):
    def setUp(self):
        super().setUp()
        self.site = None

    def load(self, folder=PAGE):
        """Serves a folder and loads its page, which begins a game; returns the time until the first opinion
        in seconds."""
        if self.site is None:
            self.site = site(folder)
            self.addCleanup(close, self.site)
        begin = time.monotonic()
        self.page.goto(address(self.site))
        self.page.evaluate(GLOBALS)
        self.wait("frame.opinion")
        return time.monotonic() - begin

    def copy(self):
        """Returns a copy of the page that may be changed."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        copied = pathlib.Path(folder.name, "page")
        shutil.copytree(PAGE, copied)
        return copied

    def test_both_games_have_the_values_of_the_program(self):
        self.load()
        for game, position in POSITIONS.items():
            self.show_panel()
            self.page.click(f"[data-game='{game}']")
            self.wait("frame.opinion && frame.at > 0")
            for plies in [1, 3]:
                self.show_panel()
                self.page.locator("#strength").fill(str(plies - 1))
                self.set_position(position)
                self.wait(f"frame.opinion?.facts.plies === {plies}")
                found = dict(self.page.evaluate("frame.opinion.values"))
                model = PAGE / "models" / f"{game}.model"
                agent = f'expectimax(depth: {plies}, value: tc-ntuple(model: "{model}"))'
                command = [RUNNER, "think", "--game", game, "--agent", agent, "--state", position, "--json"]
                answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout
                wanted = {one["action"]: one["value"] for one in json.loads(answer)["values"]}
                actions = ["up", "right", "down", "left"]
                self.assertEqual({actions[action] for action in found}, set(wanted))
                for action, value in found.items():
                    self.assertAlmostEqual(wanted[actions[action]], value, delta=0.5 + abs(value) * 1e-5)
            self.picture(f"web-{game}.png")

    def test_first_move_comes_soon_from_a_warm_cache(self):
        self.load()
        times = [self.load() for _ in range(3)]
        print(f"first opinion after {min(times):.2f} s")
        self.assertLess(min(times), 2 if os.environ.get("RUNNER_CI") else 10)

    def test_person_plays_takes_hints_and_reviews(self):
        self.load()
        self.set_position(POSITIONS["2048"])
        self.page.keyboard.press("t")
        self.wait("frame.person && frame.opinion")
        self.assertEqual(self.page.locator("#values .best").count(), 0)
        self.page.keyboard.press("h")
        self.assertEqual(self.page.locator("#values .best").count(), 1)
        self.page.keyboard.press("ArrowRight")
        self.wait("frame.at === 1 && frame.opinion")
        self.assertIn("Your move right", self.text("#verdict"))
        box = self.page.locator("#board").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x - 120, y)
        self.page.mouse.up()
        self.wait("frame.at === 2 || frame.message")
        self.assertIn("You play 2048", self.text("#title"))
        self.page.keyboard.press("v")
        self.wait("document.getElementById('progress').textContent.includes('of your moves')")
        self.page.keyboard.press("b")
        self.page.keyboard.press("b")
        self.wait("frame.at === 0 && frame.opinion && frame.next")
        self.assertIn("The move made here was right", self.text("#verdict"))
        self.page.locator("#board .cell").nth(4).click()
        self.page.locator(".swatch", has_text="512").click()
        self.wait("frame.cells[4] === 9 && frame.paused")

    def test_person_who_takes_over_on_an_earlier_position_finds_it_paused(self):
        self.load()
        self.wait("frame.at > 5")
        self.page.keyboard.press("Home")
        self.wait("frame.at === 0 && frame.next && frame.opinion")
        self.page.keyboard.press("t")
        self.wait("frame.person")
        self.page.wait_for_timeout(1000)
        self.assertEqual(self.page.evaluate("frame.at"), 0)

    def test_review_that_something_else_ends_is_hidden(self):
        self.load()
        self.wait("frame.at > 5")
        self.show_panel()
        # Half a second for each move.
        self.page.locator("#strength").fill("4")
        self.close_panel()
        self.page.keyboard.press("v")
        self.wait("document.getElementById('progress').textContent.startsWith('Judging')")
        self.page.keyboard.press("Home")
        self.wait("frame.at === 0")
        self.assertFalse(self.page.locator("#judged").is_visible())

    def test_move_of_the_program_is_not_called_that_of_the_person(self):
        self.load()
        self.set_position(POSITIONS["2048"])
        self.page.keyboard.press("ArrowLeft")
        self.wait("frame.at === 1 && frame.verdict")
        self.page.keyboard.press("b")
        self.wait("frame.at === 0 && frame.opinion && frame.paused")
        self.page.evaluate("""async () => {
            const { session } = await import("./program/session.js");
            session.person = false;
            await session.make(frame.opinion.choice, session.turn);
            await session.seek(1);
        }""")
        self.wait("frame.at === 1 && frame.opinion")
        self.assertIsNone(self.page.evaluate("frame.verdict"))

    def test_wrong_position_is_refused_with_the_place(self):
        self.load()
        self.page.click("#panel-button")
        self.page.click("#edit > summary")
        self.page.fill("#text", "2,4,8")
        self.page.click("#paste button")
        self.wait("document.getElementById('paste-refusal').textContent.includes('character')")

    def test_damaged_or_missing_network_is_said_and_a_heuristic_plays(self):
        folder = self.copy()
        model = folder / "models" / "2048.model"
        damaged = bytearray(model.read_bytes())
        damaged[len(damaged) // 2] ^= 1
        model.write_bytes(damaged)
        (folder / "models" / "threes.model").unlink()
        self.load(folder)
        self.assertIn("cannot be used", self.text("#message"))
        self.assertIn("checksum", self.text("#message"))
        self.assertIn("heuristic", self.text("#title"))
        self.wait("frame.at > 1")
        self.page.click("#panel-button")
        self.page.click("[data-game='threes']")
        self.wait("document.getElementById('message').textContent.includes('404') && frame.at > 1")
        # The browser itself notes the missing file.
        self.errors.clear()

    def test_page_without_its_engine_says_why_and_a_key_does_not_hide_that(self):
        folder = self.copy()
        for engine in folder.glob("*.wasm"):
            engine.unlink()
        self.site = site(folder)
        self.addCleanup(close, self.site)
        self.page.goto(address(self.site))
        self.page.locator("#message", has_text="The page cannot play").wait_for()
        fault = self.text("#message")
        self.page.keyboard.press("ArrowLeft")
        self.assertEqual(self.text("#message"), fault)
        # The browser itself notes the missing file.
        self.errors.clear()

    def test_browser_without_simd_plays_and_says_so(self):
        folder = self.copy()
        worker = folder / "program" / "worker.js"
        worker.write_text(worker.read_text().replace("WebAssembly.validate(SIMD)", "false"))
        (folder / "engine-simd.wasm").unlink()
        self.load(folder)
        self.page.click("#panel-button")
        self.assertIn("no SIMD", self.text("#engine"))

    def test_denied_storage_does_not_break_the_page(self):
        self.page.add_init_script("""Object.defineProperty(window, "localStorage", {
            get() { throw new DOMException("denied", "SecurityError"); } });""")
        self.load()
        self.page.click("#panel-button")
        self.page.locator("#strength").fill("0")
        self.wait("frame.opinion && frame.opinion.facts.plies === 1")

    def test_game_fits_the_window_without_scrolling(self):
        for width, height in [(1280, 720), (390, 844)]:
            self.page.set_viewport_size({"width": width, "height": height})
            self.load()
            self.assert_no_scrolling(width, height)

    def test_loading_is_shown_with_its_progress_and_early_keys_are_answered(self):
        self.page.route("**/2048.model", lambda route: None)
        self.site = site(PAGE)
        self.addCleanup(close, self.site)
        self.page.goto(address(self.site))
        self.page.locator("#message", has_text="Loading the trained network").wait_for()
        self.assertEqual(self.page.locator("main").get_attribute("aria-busy"), "true")
        self.assertEqual(self.page.locator("#controls button:enabled, #bar :is(input, select):enabled").count(), 0)
        self.page.keyboard.press("ArrowLeft")
        self.assertIn("Not ready yet", self.text("#message"))
        self.picture("web-loading.png")
        self.page.unroute("**/2048.model")
        self.page.add_init_script("""addEventListener("DOMContentLoaded", () => {
            window.texts = new Set();
            new MutationObserver(() => texts.add(document.getElementById("message").textContent))
                .observe(document.getElementById("message"), { childList: true });
        });""")
        self.load()
        self.assertTrue(self.page.evaluate(r"[...texts].some((text) => / [\d.]+ of [\d.]+ MB/.test(text))"))
        self.assertEqual(self.page.locator("main").get_attribute("aria-busy"), "false")
        self.assertEqual(self.page.locator("#controls button:disabled").count(), 0)


if __name__ == "__main__":
    unittest.main()
