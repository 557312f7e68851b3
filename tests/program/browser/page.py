"""Tests of the page of `runner serve` in Chromium.

The variable RUNNER names the program.
"""

import functools
import itertools
import os
import re
import subprocess
import tempfile
import unittest

from chromium import ChromiumTest, expect, wait

RUNNER = os.environ.get("RUNNER", "runner")

# What the modules of the page share, as globals for the conditions of these tests.
GLOBALS = """async () => {
    const of = (name) => import(`/program/${name}.js`);
    const [{ view }, { server }, { board, slide }, { number }] =
        await Promise.all(["view", "server", "board", "base"].map(of));
    Object.assign(window, { board, slide, number });
    for (const name of ["about", "frame", "waiting"]) {
        Object.defineProperty(window, name, { get: () => view[name] });
    }
    Object.defineProperty(window, "game", { get: () => server.game });
}"""

# Returns the controls whose centre shows another element, and those whose texts are cut off. A panel that lies
# over the game covers it; its own controls are then examined.
HIDDEN = """() => {
    const panel = document.getElementById("panel");
    const isOver = !panel.hidden && getComputedStyle(panel).position === "fixed";
    const controls = (isOver ? panel : document)
        .querySelectorAll("button, input, select, textarea, summary, a.button, #course");
    const hidden = [...controls].filter((control) => {
        if (!control.checkVisibility()) return false;
        control.scrollIntoView({ block: "nearest" });
        const { left, top, width, height, right } = control.getBoundingClientRect();
        const hit = document.elementFromPoint(left + width / 2, top + height / 2);
        const isCut = [...control.querySelectorAll("span")].map((text) => text.getBoundingClientRect())
            .some((text) => text.width > 0 && (text.left < left || text.right > right));
        return isCut || !control.contains(hit);
    });
    scrollTo(0, 0);
    const { scrollWidth } = document.documentElement;
    return [...hidden.map((control) => control.id || control.textContent.trim()),
        ...scrollWidth > innerWidth ? [`the page is ${scrollWidth} pixels wide`] : []];
}"""

SIZES = [(320, 568), (390, 844), (768, 1024), (844, 390), (932, 430), (1024, 768), (1280, 800),
         (1920, 1080)]

# The roles of controls in the accessibility tree.
CONTROLS = {"button", "link", "radio", "checkbox", "combobox", "textbox", "spinbutton", "slider", "DisclosureTriangle"}

# A position of 2048 in which down, left and up are legal.
POSITION = "2,4,8,16/0,0,0,0/0,0,0,0/0,0,0,2"


def load(page, address):
    page.goto(address)
    page.wait_for_selector("#board .tile")
    page.evaluate(GLOBALS)


class Server:
    """A server in a temporary folder with a recorded game."""

    def __init__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.run("eval", "--game", "2048", "--agent", "random", "--games", "2",
                 "--records", "random.rec")
        command = [RUNNER, "serve", "--port", "0", "--threads", "1",
                   "--agent", "expectimax(depth: 2)"]
        # Without the models of the person who runs the tests.
        environment = {**os.environ, "XDG_DATA_HOME": self.folder.name}
        self.process = subprocess.Popen(command, cwd=self.folder.name, stdout=subprocess.PIPE,
                                        text=True, env=environment)
        self.address = self.process.stdout.readline().split(" ")[0]

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def run(self, *words):
        subprocess.run([RUNNER, *words], cwd=self.folder.name, check=True, capture_output=True)

    def close(self):
        self.process.kill()
        self.process.wait()
        self.process.stdout.close()
        self.folder.cleanup()


class Page(ChromiumTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = Server()
        cls.addClassCleanup(cls.server.close)

    def load(self):
        """Loads the page, which begins a game."""
        load(self.page, self.server.address)

    def test_a_game_of_the_player_begins_by_itself(self):
        self.load()
        expect(self.page.locator("#title")).to_contain_text("Expectimax, 2 plies, plays 2048")
        self.wait("frame && frame.at > 5 && frame.opinion")
        # The tiles of the page are those of the position.
        self.page.keyboard.press(" ")
        self.wait("frame.paused && waiting === null")
        shown = self.page.evaluate(
            "board.tiles.map((tile) => tile ? Number(tile.dataset.rank) : 0)")
        cells = self.page.evaluate("frame.cells")
        self.assertEqual([rank or 0 for rank in shown] + [0] * (16 - len(shown)), cells)
        # Screen readers are told of the position at which the game pauses.
        self.wait("""document.getElementById('board').getAttribute('aria-label').includes(
            frame.cells.slice(0, 4).map((rank) => rank ? about.board.values[rank] : 'empty').join(' '))""")
        expect(self.page.locator("#values .best")).to_have_count(1)
        expect(self.page.locator("#values .best .behind")).to_have_text("")
        self.set_position("0,0,2,4/0,4,16,8/32,64,128,16/2048,1024,512,256")
        self.wait("frame.opinion && waiting === null")
        # The differences are those of the values that are shown.
        numbers = [[float(text.replace(",", "").replace("−", "")) for text in row.split()]
                   for row in self.page.locator("#values .numbers").all_inner_texts()]
        best = max(row[0] for row in numbers if row)
        behind = [row for row in numbers if len(row) == 2]
        self.assertGreater(len(behind), 0)
        for value, difference in behind:
            self.assertAlmostEqual(best - value, difference, places=6)

    def test_person_plays_with_keys_and_takes_a_hint(self):
        self.load()
        self.set_position(POSITION)
        self.page.locator("#board").focus()
        self.page.keyboard.press("t")
        self.wait("frame.person && frame.opinion")
        expect(self.page.locator("#title")).to_contain_text("You play 2048")
        expect(self.page.locator("#pause")).to_be_disabled()
        expect(self.page.locator("#mover")).to_have_class(re.compile(r"\blit\b"))
        # The values are hidden until the person asks.
        expect(self.page.locator("#values .best")).to_have_count(0)
        expect(self.page.locator("#verdict")).to_contain_text("Hint")
        self.page.keyboard.press("h")
        expect(self.page.locator("#values .best")).to_have_count(1)
        expect(self.page.locator("#live")).to_contain_text("would move")
        self.page.keyboard.press("ArrowDown")
        self.wait("frame.at === 1")
        expect(self.page.locator("#verdict")).to_contain_text("Your move down")
        expect(self.page.locator("#board")).to_have_attribute("aria-label", re.compile("Row 1:"))
        # At the last position there is no step to make.
        expect(self.page.locator("#step")).to_be_disabled()
        # A move that was taken back is not judged without a hint, and no value is shown.
        self.page.keyboard.press("h")
        self.page.keyboard.press("b")
        self.wait("frame.at === 0 && frame.opinion && waiting === null")
        expect(self.page.locator("#step")).to_be_enabled()
        expect(self.page.locator("#values .best")).to_have_count(0)
        self.assertEqual("".join(self.page.locator("#values .numbers").all_inner_texts()).strip(), "")
        expect(self.page.locator("#verdict")).to_have_text("Hint shows what the player would do.")
        self.page.keyboard.press("h")
        expect(self.page.locator("#values .best")).to_have_count(1)
        expect(self.page.locator("#verdict")).to_contain_text("The move made here was down")
        self.picture("browser-play.png")
        self.page.keyboard.press("t")
        self.wait("!frame.person")
        expect(self.page.locator("#title")).to_contain_text("plays 2048")
        expect(self.page.locator("#pause")).to_be_enabled()

    def test_bars_and_sentences_show_differences_alike(self):
        self.load()
        self.set_position(POSITION)
        shown = self.page.evaluate("""async () => {
            const { drawOpinion, filled } = await import("/program/opinion.js");
            const values = [[0, 206325.25], [1, 206376.4], [2, 176385.1]];
            const opinion = { ...frame.opinion, choice: 1, values };
            const next = { action: 2, loss: 29991.3 };
            drawOpinion({ ...frame, person: false, paused: true, measured: 44.5, opinion, next });
            const bars = [...document.querySelectorAll("#values .bar")].map((bar) => parseFloat(bar.style.width));
            const text = (id) => document.getElementById(id).textContent;
            return { bars, verdict: text("verdict"), facts: text("facts"), filled: filled(0, 0, 0) };
        }""")
        # A gap of 51 points of 206,376 is hardly seen, and one of 29,991 is.
        up, right, down = shown["bars"][:3]
        self.assertEqual(right, 100)
        self.assertGreater(up, 99)
        self.assertEqual(down, 0)
        self.assertEqual(shown["filled"], 1)
        self.assertIn("it was worth 29,991 less than right.", shown["verdict"])
        # The speed of one analysis is no speed of a game.
        self.assertNotIn("moves per second", shown["facts"])

    def test_loading_is_shown_and_early_keys_and_taps_are_answered(self):
        waiting = []
        self.page.route("**/api/start", lambda route: waiting.append(route))
        self.page.goto(self.server.address)
        self.page.locator("main[aria-busy=true]").wait_for()
        expect(self.page.locator("#bar :is(button, input, select):enabled")).to_have_count(0)
        box = self.page.locator("#pause").bounding_box()
        while not waiting:
            self.page.wait_for_timeout(20)
        expect(self.page.locator("#message")).to_have_text("Loading")
        self.page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        expect(self.page.locator("#message")).to_contain_text("Not ready yet")
        self.picture("browser-loading.png")
        waiting[0].continue_()
        self.page.locator("main[aria-busy=false]").wait_for()
        expect(self.page.locator("#pause")).to_be_enabled()

    def test_typed_position_stays_until_it_is_set(self):
        self.load()
        self.open_panel("#edit")
        self.page.fill("#text", POSITION)
        # Many frames arrive between the press and the release of the button.
        self.page.click("#paste button", delay=1000)
        self.wait(f"frame.text === {POSITION!r}")
        # After that, the text is that of the game.
        self.page.keyboard.press("n")
        self.wait("frame.at === 1 && document.getElementById('text').value === frame.text")

    def test_finished_game_offers_its_review(self):
        self.load()
        # One move is left.
        self.set_position("1024,8,4,16/32,64,128,256/4,8,16,32/0,128,256,512")
        self.page.click("#pause")
        self.wait("frame.over")
        self.page.click("#judge")
        self.wait("document.getElementById('progress').textContent.includes('choice')")
        expect(self.page.locator("#judge")).to_be_hidden()
        # The next game, which would begin after four seconds, does not.
        self.page.wait_for_timeout(5500)
        self.assertTrue(self.page.evaluate("frame.over"))

    def test_orders_arrive_in_the_order_of_the_keys(self):
        self.load()
        self.set_position(POSITION)
        self.page.locator("#board").focus()
        sent = []

        def hold_the_first(route):
            sent.append(route)
            if len(sent) > 1:
                route.continue_()

        self.page.route("**/api/games/*", hold_the_first)
        self.page.keyboard.press("ArrowDown")
        self.page.keyboard.press("b")
        self.page.wait_for_timeout(300)
        self.assertEqual(len(sent), 1)
        sent[0].continue_()
        self.wait("frame.moves === 1 && frame.at === 0")

    def test_two_fingers_are_no_swipe(self):
        self.load()
        self.set_position(POSITION)
        self.page.evaluate("""() => {
            const events = [["down", 1, 300], ["down", 2, 500], ["up", 1, 300], ["up", 2, 600]];
            for (const [name, pointerId, clientY] of events) {
                const place = { clientX: 200, clientY, pointerId, isPrimary: pointerId === 1 };
                const event = new PointerEvent(`pointer${name}`, { bubbles: true, ...place });
                document.getElementById("board").dispatchEvent(event);
            }
        }""")
        self.page.wait_for_timeout(300)
        self.assertEqual(self.page.evaluate("frame.at"), 0)

    def test_swipes_move(self):
        self.load()
        self.set_position(POSITION)
        box = self.page.locator("#board").bounding_box()
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        self.page.mouse.move(x, y)
        self.page.mouse.down()
        self.page.mouse.move(x, y + 120)
        self.page.mouse.up()
        self.wait("frame.at === 1 && frame.last.action === 2 && frame.person")
        # Keys work on the cells after it.
        self.page.keyboard.press("e")
        self.page.keyboard.press("Enter")
        expect(self.page.locator("#picker")).to_be_visible()

    def test_tiles_slide_and_merge_as_the_rules_say(self):
        self.load()
        check = """([before, after, action]) => slide(before, after, { rows: 1, cols: 4 }, action)
            ?.map(({ from, to, merges }) => [from, to, merges])"""
        slide = functools.partial(self.page.evaluate, check)
        self.assertEqual(slide([[1, 0, 1, 2], [2, 2, 0, 0], "left"]),
                         [[0, 0, False], [2, 0, True], [3, 1, False]])
        self.assertEqual(slide([[1, 1, 1, 1], [0, 0, 2, 2], "right"]),
                         [[3, 3, False], [2, 3, True], [1, 2, False], [0, 2, True]])
        # Threes: tiles move by one cell.
        self.assertEqual(slide([[0, 1, 2, 3], [1, 2, 3, 0], "left"]),
                         [[1, 0, False], [2, 1, False], [3, 2, False]])
        self.assertIsNone(slide([[1, 0, 0, 0], [0, 0, 0, 0], "left"]))
        self.assertIsNone(slide([[1, 0, 0, 0], [1, 0, 0, 0], "jump"]))

    def choose_other(self, spec=None):
        """Chooses a player by its spec."""
        self.show_panel()
        self.page.check("[name=player][value=other]")
        self.wait("document.querySelector('#agent-form select')")
        if spec is not None:
            self.page.fill("#agent-spec", spec)

    def test_players_are_chosen_by_level(self):
        self.load()
        self.show_panel()
        expect(self.page.locator("#agent-choice label")).to_have_text([
            re.compile(rf"^\s*{name}\s*{about}\s*$") for name, about in [
                ("Strongest", "about 480,000 points"), ("Strong", "about 290,000 points"),
                ("Medium", "about 47,000 points"), ("Beginner", "about 3,200 points"),
                ("Other", "any player, as text")]])
        # The player of the command line is chosen; another one plays on, with the arrow keys too.
        expect(self.page.get_by_role("radio", name="Medium")).to_be_checked()
        self.page.get_by_role("radio", name="Beginner").check()
        self.wait("about && about.agent === 'greedy-merges' && frame.at > 0")
        self.page.keyboard.press("ArrowUp")
        self.wait("about && about.player === 'Expectimax, 2 plies'")
        expect(self.page.locator("#playing")).to_have_text("expectimax(depth: 2)")
        # Another game has its own players, and begins by the button.
        self.page.select_option("#game-choice", "threes")
        self.wait("document.getElementById('agent-choice').textContent.includes('about 160,000')")
        self.page.get_by_role("radio", name="Beginner").check()
        self.assertEqual(self.page.evaluate("about.game"), "2048")
        self.page.click("#setup button[type=submit]")
        self.wait("about && about.game === 'threes' && about.agent === 'greedy-merges'")
        expect(self.page.locator("#title")).to_have_text("Greedy merges, plays Threes")
        # The key begins the same, in the same place.
        before = self.page.evaluate("game.id")
        self.page.locator("#board").focus()
        self.page.keyboard.press("r")
        self.wait("frame.at < 3")
        self.assertEqual(self.page.evaluate("game.id"), before)
        # Another page that watches the game shows its player.
        other = self.context.new_page()
        load(other, self.page.url)
        wait(other, "document.querySelector('[name=player][value=\"3\"]').checked")
        expect(other.locator("#game-choice")).to_have_value("threes")

    def test_spec_is_completed_and_its_errors_have_a_place(self):
        self.load()
        self.choose_other("expectimax(")
        offered = self.page.locator("#agent-form select").first.locator("option").all_inner_texts()
        self.assertIn("trained", offered)
        for without_file in ["exact", "process", "tc-ntuple"]:
            self.assertNotIn(without_file, offered)
        words = self.page.locator("#agent-words button")
        expect(words.get_by_text("depth:", exact=True)).to_be_visible()
        words.get_by_text("depth:", exact=True).click()
        self.page.keyboard.type("2, value: tr")
        expect(words).to_have_text(["trained"])
        words.first.click()
        self.page.keyboard.type(")")
        expect(self.page.locator("#agent-spec")).to_have_value("expectimax(depth: 2, value: trained)")
        self.page.click("#replace")
        self.wait("about && about.player === 'Trained network, 2 plies'")
        self.page.fill("#agent-spec", "expectimax(dept: 2)")
        self.page.click("#replace")
        self.wait("document.getElementById('refusal').textContent.includes('^')")
        expect(self.page.locator("#refusal")).to_contain_text("depth")
        self.errors.clear()

    def test_form_makes_the_spec_of_the_player(self):
        self.load()
        self.choose_other("")
        form = self.page.locator("#agent-form")
        form.locator("select").first.select_option("expectimax")
        expect(self.page.locator("#agent-spec")).to_have_value("expectimax(value: trained)")
        label = form.locator("label", has=self.page.locator(":scope > span", has_text="Search depth; with"))
        label.locator("input").fill("1")
        label = form.locator("label", has=self.page.locator(":scope > span", has_text="Time limit"))
        label.locator("input").fill("5ms")
        value = form.locator(":scope > div > .parameters > label").first.locator("select").first
        value.select_option("snake-paths")
        expect(self.page.locator("#agent-spec")).to_have_value(
            'expectimax(value: snake-paths, depth: 1, time: "5ms")')
        self.page.click("#setup button[type=submit]")
        self.wait("about && about.agent.includes('snake-paths') && frame && frame.at > 0")
        # What is wrong is shown with its place.
        self.page.fill("#agent-spec", "expectimax(depth: 99)")
        self.page.click("#setup button[type=submit]")
        self.wait("document.getElementById('refusal').textContent.includes('^')")
        expect(self.page.locator("#refusal")).to_contain_text("1 to 32")
        # The browser itself notes the refused request.
        self.errors.clear()

    def test_recorded_game_is_judged_move_by_move(self):
        self.load()
        self.open_panel("#recorded")
        self.page.set_input_files("#upload", self.server.path("random.rec"))
        self.wait("document.querySelectorAll('#number option').length === 2")
        self.page.select_option("#number", "1")
        self.page.click("#open-record button[type=submit]")
        self.wait("frame && about.recorded !== null && frame.moves > 10")
        self.page.locator("#board").focus()
        self.page.keyboard.press("Home")
        self.wait("frame.at === 0 && frame.next && frame.opinion")
        expect(self.page.locator("#verdict")).to_contain_text("The move made here was")
        # A player that gives up has no choice.
        self.page.evaluate("""async () => {
            const { drawOpinion } = await import("/program/opinion.js");
            const opinion = { ...frame.opinion, choice: null };
            drawOpinion({ ...frame, opinion, next: { action: 0, loss: null } });
        }""")
        expect(self.page.locator("#verdict")).to_contain_text("the player would choose to stop")
        expect(self.page.locator("#title")).to_contain_text("2048 by Random, judged by: Expectimax, 2 plies")
        self.close_panel()
        self.page.click("#review")
        self.wait("!document.getElementById('course').hasAttribute('hidden')")
        expect(self.page.locator("#progress")).to_contain_text("player's choice")
        expect(self.page.locator("#course")).to_contain_text("Value")
        lost = self.page.locator("#mistakes li").all_inner_texts()
        self.assertEqual(len({len(text.partition("−")[2].partition(".")[2]) for text in lost}), 1, lost)
        self.page.locator("#course").hover()
        expect(self.page.locator("#course")).to_contain_text(re.compile(r"Move \d+: [\d,.]+, [\d,.]+ lost"))
        self.page.locator("#mistakes button").first.click()
        self.wait("frame.at > 0 && frame.next && frame.next.loss > 0 && frame.opinion")
        expect(self.page.locator("#verdict")).to_contain_text("worth")
        # The trained network expects points, and so it grades the moves.
        self.show_panel()
        self.page.get_by_role("radio", name="Strong about").check()
        self.wait("about.player === 'Trained network' && frame.opinion")
        self.close_panel()
        self.page.click("#review")
        self.wait("document.getElementById('progress').textContent.includes('Accuracy')")
        self.page.locator("#mistakes button").first.click()
        self.wait("frame.next && frame.next.grade === 'blunder' && frame.opinion && waiting === null")
        side = self.page.locator("#side").evaluate("(side) => side.scrollHeight - side.clientHeight")
        self.assertEqual(side, 0)
        self.picture("browser-review.png")
        for width, height in [(1280, 720), (390, 844)]:
            self.page.set_viewport_size({"width": width, "height": height})
            self.assert_no_scrolling(width, height)
            for shown in ["#board", "#course", "#mistakes li", "#controls"]:
                box = self.page.locator(shown).first.bounding_box()
                self.assertLessEqual(box["y"] + box["height"], height, shown)
            # The chart is drawn again, so that the pointer finds the moves.
            self.wait("""Math.abs(document.getElementById('course').getBoundingClientRect().width
                - document.getElementById('course').viewBox.baseVal.width) < 1""")
        self.picture("browser-review-narrow.png")

    def open_text(self, text):
        """Opens a game as text."""
        self.open_panel("#recorded")
        self.page.fill("#written", text)
        self.page.click("#open-record button[type=submit]")

    def test_game_as_text_is_graded_and_its_mistakes_are_solved(self):
        self.load()
        self.choose_other("expectimax(depth: 1, value: trained)")
        start = "0,0,0,0/0,0,4,8/4,16,32,64/1024,512,256,128"
        self.open_text(f"{start}\nleft 8@1,1")
        self.wait("document.getElementById('record-refusal').textContent.includes('line 2: no 8 can enter')")
        self.errors.clear()
        # The first move leaves the corner.
        self.open_text(f"{start}\nup 2@4,1")
        self.wait("about && about.recorded === 'Someone' && frame.moves === 1")
        self.close_panel()
        self.page.click("#review")
        self.wait("document.getElementById('progress').textContent.includes('Accuracy')")
        expect(self.page.locator("#progress")).to_contain_text("0 mistakes, 1 blunder")
        self.assertNotIn("1 blunders", self.text("#progress"))
        expect(self.page.locator("#mistakes")).to_contain_text("Blunder 1")
        expect(self.page.locator("#course")).to_contain_text("Expected score")
        expect(self.page.locator("#course .mark")).to_have_count(1)
        # The mistake is a position to solve, by keyboard: a move is graded, and not made.
        self.page.locator("#solve").focus()
        self.page.keyboard.press("Enter")
        self.wait("document.getElementById('verdict').textContent.includes('Mistake 1 of 1')")
        self.wait("frame.at === 0 && frame.opinion && waiting === null")
        expect(self.page.locator("#values .best")).to_have_count(0)
        # The list does not name the better move until it is found.
        expect(self.page.locator("#mistakes .detail")).to_be_hidden()
        self.page.locator("#board").focus()
        self.page.keyboard.press("ArrowUp")
        expect(self.page.locator("#verdict")).to_contain_text("Up: blunder")
        expect(self.page.locator("#live")).to_contain_text("Try again")
        expect(self.page.locator("#values .best")).to_have_count(0)
        best = self.page.evaluate("about.actions[frame.opinion.choice]")
        self.page.keyboard.press(f"Arrow{best.capitalize()}")
        expect(self.page.locator("#verdict")).to_contain_text(f"{best.capitalize()}: best. Solved.")
        expect(self.page.locator("#mistakes .detail")).to_be_visible()
        expect(self.page.locator("#values .best")).to_have_count(1)
        self.assertEqual(self.page.evaluate("frame.moves"), 1)
        self.page.click("#solve")
        expect(self.page.locator("#verdict")).to_contain_text("The move made here was up (blunder)")

    def test_position_is_in_the_address_and_is_copied(self):
        self.load()
        self.context.grant_permissions(["clipboard-read", "clipboard-write"])
        position = "1024,2,0,0/0,0,0,0/0,0,0,0/0,0,0,2"
        self.set_position(position)
        self.assertIn(f"of=2048&at={position}", self.page.url)
        self.open_panel("#edit")
        copied = {}
        for name in ["text", "hex", "address"]:
            self.page.click(f"[data-copy={name}]")
            self.wait("document.getElementById('copied').textContent === 'Copied.'")
            copied[name] = self.page.evaluate("navigator.clipboard.readText()")
        self.assertEqual((copied["text"], copied["hex"]), (position, "A100000000000001"))
        # The address opens the position in a game of its own, and one that is loaded again is the same.
        other = self.context.new_page()
        load(other, copied["address"])
        wait(other, f"frame && frame.text === {position!r} && frame.paused")
        self.assertNotEqual(other.evaluate("game.id"), self.page.evaluate("game.id"))
        other.reload()
        other.wait_for_selector("#board .tile")
        other.evaluate(GLOBALS)
        wait(other, f"frame && frame.text === {position!r}")
        # What is no position or no game is refused, and the page stays usable.
        for wrong, message in [("of=2048&at=3", "the position is not one of 2048"), ("of=2047", "did you mean")]:
            page = self.context.new_page()
            load(page, f"{self.server.address}#{wrong}")
            page.locator("#refusal", has_text=message).wait_for()
            wait(page, "frame && frame.at > 1 && about.game === '2048'")

    def test_person_plays_with_folded_facts_for_a_best_score(self):
        self.load()
        expect(self.page.locator("#facts")).to_be_visible()
        expect(self.page.locator("#best")).to_be_hidden()
        self.page.locator("#board").focus()
        self.page.keyboard.press("t")
        self.page.keyboard.press("r")
        self.wait("frame.person && frame.at === 0")
        expect(self.page.locator("#facts")).to_be_hidden()
        while self.page.evaluate("frame.score") == 0:
            self.page.keyboard.press("ArrowLeft")
            self.page.keyboard.press("ArrowDown")
            self.page.keyboard.press("ArrowRight")
            self.page.wait_for_timeout(100)
        self.wait("number(frame.score) === document.querySelector('#best dd').textContent && frame.own")
        best = self.text("#best dd")
        # A position of one's own earns nothing, and the score is there when the page is loaded again.
        self.set_position("1024,1024,0,0/0,0,0,0/0,0,0,0/0,0,0,2")
        self.page.locator("#board").focus()
        self.page.keyboard.press("ArrowLeft")
        self.wait("frame.at === 1 && frame.score > 2000")
        expect(self.page.locator("#best dd")).to_have_text(best)
        self.page.reload()
        self.page.wait_for_selector("#best dd")
        expect(self.page.locator("#best dd")).to_have_text(best)

    def test_chart_counts_whole_moves(self):
        self.load()
        texts = self.page.evaluate("""async () => {
            const [{ drawCurve }, { shape }] =
                await Promise.all(["charts", "base"].map((name) => import(`/program/${name}.js`)));
            const chart = shape("svg", { class: "chart" });
            document.body.append(chart);
            drawCurve(chart, [[1, 5], [2, 50]], [[2, 50]], ["Move", "Value"]);
            return [...chart.querySelectorAll("text")].map((text) => text.textContent);
        }""")
        self.assertEqual(texts[-2:], ["1", "2"])

    def test_every_game_of_a_file_of_ones_own_can_be_opened(self):
        self.load()
        self.open_panel("#recorded")
        own = self.server.path("own.rec")
        self.server.run("eval", "--game", "threes", "--agent", "random", "--games", "3",
                        "--records", own)
        self.page.set_input_files("#upload", own)
        self.wait("document.querySelectorAll('#number option').length === 3")
        label = self.page.locator("#number option[value='2']").inner_text()
        self.page.select_option("#number", "2")
        self.page.click("#open-record button[type=submit]")
        self.wait("about && about.game === 'threes' && frame.moves > 10")
        moves = self.page.evaluate("number(frame.moves)")
        self.assertIn(f"{moves} moves", label)
        # Of a truncated file, the complete games are listed.
        with open(own, "rb") as file:
            complete = file.read()
        truncated = self.server.path("truncated.rec")
        with open(truncated, "wb") as file:
            file.write(complete[:-40])
        self.page.set_input_files("#upload", truncated)
        self.wait("document.getElementById('record-refusal').textContent.includes('truncated')")
        expect(self.page.locator("#number option")).to_have_count(2)
        # What is wrong with a file is shown beside it.
        other = self.server.path("other.rec")
        with open(other, "wb") as file:
            file.write(b"a shopping list")
        self.page.set_input_files("#upload", other)
        self.page.click("#open-record button[type=submit]")
        self.wait("document.getElementById('record-refusal').textContent.includes('line 1')")
        self.errors.clear()

    def test_number_of_a_recorded_game_is_the_last_choice(self):
        self.load()
        self.open_panel("#recorded")
        self.page.set_input_files("#upload", self.server.path("random.rec"))
        self.wait("document.querySelectorAll('#number option').length === 2")
        # The field is there for files with more games than the list shows.
        self.page.locator("#other-number").evaluate("label => { label.hidden = false; }")
        self.page.fill("#any-number", "1e2")
        self.page.click("#open-record button[type=submit]")
        self.wait("document.getElementById('record-refusal').textContent.includes('no game 100')")
        self.page.select_option("#number", "1")
        self.page.locator("#number").dispatch_event("change")
        expect(self.page.locator("#any-number")).to_have_value("")
        self.page.click("#open-record button[type=submit]")
        self.wait("about && frame.moves > 10 && document.getElementById('record-refusal').textContent === ''")
        self.errors.clear()

    def test_review_is_hidden_when_another_player_is_chosen(self):
        self.load()
        self.choose_other("greedy")
        self.set_position(POSITION)
        self.page.keyboard.press("Escape")
        self.page.locator("#board").focus()
        self.page.keyboard.press("ArrowDown")
        self.wait("frame.at === 1")
        self.page.click("#review")
        self.wait("document.getElementById('progress').textContent.includes('choice')")
        self.show_panel()
        self.page.click("#replace")
        self.wait("document.getElementById('progress').textContent === ''")
        expect(self.page.locator("#mistakes li")).to_have_count(0)
        expect(self.page.locator("#course")).to_be_hidden()

    def test_two_pages_watch_one_game(self):
        self.load()
        other = self.context.new_page()
        load(other, self.page.url)
        wait(other, "frame !== null")
        self.assertEqual(other.evaluate("game.id"), self.page.evaluate("game.id"))
        self.page.locator("#board").focus()
        self.page.keyboard.press(" ")
        wait(other, "frame.paused")

    def test_colours_follow_the_system_and_the_button(self):
        back = "getComputedStyle(document.body).backgroundColor"
        self.page.emulate_media(color_scheme="dark")
        self.load()
        dark = self.page.evaluate(back)
        self.picture("browser-dark.png")
        self.page.click("#theme")
        light = self.page.evaluate(back)
        self.assertNotEqual(dark, light)
        self.page.emulate_media(color_scheme="light")
        self.page.click("#theme")
        self.assertEqual(self.page.evaluate(back), dark)

    def assert_controls_have_names(self):
        """Every control in the accessibility tree of the browser has a name."""
        session = self.context.new_cdp_session(self.page)
        nodes = session.send("Accessibility.getFullAXTree")["nodes"]
        session.detach()
        controls = [(node["role"]["value"], node["name"]["value"]) for node in nodes
                    if not node["ignored"] and node["role"]["value"] in CONTROLS]
        self.assertGreater(len(controls), 15)
        self.assertEqual([role for role, name in controls if not name.strip()], [])
        return controls

    def test_controls_have_names_and_can_be_reached_by_keyboard(self):
        self.load()
        self.assertIn(("button", "Hint"), self.assert_controls_have_names())
        self.choose_other("expectimax")
        for panel in ["#edit", "#more", "#recorded"]:
            self.open_panel(panel)
        controls = self.assert_controls_have_names()
        for wanted in [("radio", "Strongest about 480,000 points"), ("textbox", "Position as text"),
                       ("slider", "Move"), ("combobox", "Game")]:
            self.assertTrue(any(role == wanted[0] and name.startswith(wanted[1]) for role, name in controls),
                            f"{wanted} of {controls}")
        self.page.locator("#theme").focus()
        focused = {"theme"}
        for _ in range(80):
            self.page.keyboard.press("Tab")
            focused.add(self.page.evaluate("document.activeElement.id"))
        for wanted in ["theme", "board", "pause", "speed", "save", "place", "review"]:
            self.assertIn(wanted, focused)

    def tab_to(self, selector):
        """Presses Tab until an element has the focus, which must then be seen."""
        for _ in range(120):
            self.page.keyboard.press("Tab")
            if self.page.evaluate("(selector) => document.activeElement.matches(selector)", selector):
                break
        self.assertEqual(self.page.evaluate("""(selector) => {
            const { activeElement: focused } = document;
            const { left, top, width, height } = focused.getBoundingClientRect();
            const hit = document.elementFromPoint(left + width / 2, top + height / 2);
            return [focused.matches(selector), focused.contains(hit)];
        }""", selector), [True, True], selector)

    def test_whole_path_by_keyboard_alone(self):
        start = "0,0,0,0/0,0,4,8/4,16,32,64/1024,512,256,128"
        said = self.page.locator("#live")
        for (width, height), theme in itertools.product(SIZES, ["light", "dark"]):
            with self.subTest(width=width, height=height, theme=theme):
                self.page.set_viewport_size({"width": width, "height": height})
                self.page.goto("about:blank")
                load(self.page, f"{self.server.address}#of=2048&at={start}")
                self.wait("frame.paused")
                # Choose a player.
                self.tab_to("#panel-button")
                self.page.keyboard.press("Enter")
                self.tab_to("[name=player]:checked")
                self.page.keyboard.press("ArrowUp")
                self.wait("about.player === 'Trained network' && frame.opinion")
                self.page.keyboard.press("Escape")
                expect(self.page.locator("#panel")).to_be_hidden()
                self.tab_to("#theme")
                while self.page.evaluate("document.documentElement.dataset.theme") != theme:
                    self.page.keyboard.press("Enter")
                # Play.
                self.tab_to("#board")
                self.page.keyboard.press("ArrowUp")
                self.wait("frame.at === 1 && frame.person && frame.opinion && waiting === null")
                expect(said).to_have_text(re.compile(r"^Score [\d,]+. Row 1: .* Row 4: "))
                self.assert_controls_have_names()
                # Take a hint, and the move back.
                self.tab_to("#hint")
                self.page.keyboard.press("Enter")
                expect(said).to_contain_text("The player would move")
                self.page.keyboard.press("b")
                self.wait(f"frame.at === 0 && frame.text === {start!r} && waiting === null")
                expect(said).to_contain_text("Row 4: 1024 512 256 128")
                # Review the game.
                self.tab_to("#review")
                self.page.keyboard.press("Enter")
                self.wait("document.getElementById('progress').textContent.includes('Accuracy')")
                expect(said).to_contain_text("Accuracy")
                # Play the mistake again.
                self.tab_to("#solve")
                self.page.keyboard.press("Enter")
                self.wait("document.getElementById('verdict').textContent.includes('Mistake 1 of 1')")
                self.wait("frame.at === 0 && frame.opinion && waiting === null")
                self.page.keyboard.press("ArrowUp")
                expect(said).to_have_text(re.compile("^Up: blunder, .* Try again.$"))
                self.assertTrue(self.page.evaluate("""() => {
                    const { left, top } = document.getElementById("verdict").getBoundingClientRect();
                    return document.elementFromPoint(left + 2, top + 2)?.id === "verdict";
                }"""), "the verdict is not seen")
                best = self.page.evaluate("about.actions[frame.opinion.choice]")
                self.page.keyboard.press(f"Arrow{best.capitalize()}")
                expect(said).to_contain_text("Solved.")
                self.picture(f"browser-path-{width}-{theme}.png")

    def test_game_fits_the_window_without_scrolling(self):
        for width, height in [(1280, 720), (1024, 768), (390, 844), (360, 740)]:
            self.page.set_viewport_size({"width": width, "height": height})
            self.load()
            self.wait("frame.opinion")
            self.assert_no_scrolling(width, height)
            # Who plays what is readable, on a phone too.
            whole = "({ scrollHeight: all, clientHeight: seen }) => all > 0 && all <= seen"
            self.assertTrue(self.page.locator("#title").evaluate(whole), width)
            # The board is what a visitor sees first.
            box = self.page.locator("#board").bounding_box()
            self.assertGreater(box["width"] * box["height"], 0.28 * width * height)
            self.picture(f"browser-{width}.png")

    def test_board_fills_the_height_of_a_large_window(self):
        self.page.set_viewport_size({"width": 1920, "height": 1080})
        self.load()
        self.wait("frame.opinion")
        self.assert_no_scrolling(1920, 1080)
        box = self.page.locator("#controls").bounding_box()
        self.assertGreater(box["y"] + box["height"], 1000)

    def assert_nothing_is_hidden(self, state):
        for width, height in SIZES:
            self.page.set_viewport_size({"width": width, "height": height})
            for panel in ["closed", "open"]:
                self.page.evaluate("""async (panel) => {
                    document.getElementById("panel").hidden = panel === "closed";
                    await new Promise(requestAnimationFrame);
                }""", panel)
                with self.subTest(state=state, width=width, height=height, panel=panel):
                    self.assertEqual(self.page.evaluate(HIDDEN), [])
                self.picture(f"browser-{state}-{width}-{panel}.png")

    def test_nothing_is_covered_or_cut_off_at_any_size(self):
        self.load()
        self.open_panel("#recorded")
        self.page.set_input_files("#upload", self.server.path("random.rec"))
        self.wait("document.querySelectorAll('#number option').length === 2")
        self.page.click("#open-record button[type=submit]")
        self.wait("frame && about.recorded !== null && frame.moves > 10")
        self.close_panel()
        self.page.keyboard.press("Home")
        self.wait("frame.at === 0 && frame.next && frame.opinion && waiting === null")
        self.assert_nothing_is_hidden("game")
        self.page.keyboard.press("v")
        self.wait("!document.getElementById('course').hasAttribute('hidden')")
        self.page.click("#line summary")
        self.assert_nothing_is_hidden("review")

    def test_large_figures_fit_their_places(self):
        self.load()
        for width, height in SIZES:
            self.page.set_viewport_size({"width": width, "height": height})
            for panel in ["true", "false"]:
                cut = self.page.evaluate("""(panel) => {
                    document.getElementById("panel").hidden = panel === "true";
                    document.getElementById("best").hidden = false;
                    document.getElementById("score").textContent = "3,932,100";
                    document.getElementById("tile").textContent = "131,072";
                    document.querySelector("#best dd").textContent = "1,234,567";
                    return [...document.querySelectorAll("#figures :is(dt, dd)")]
                        .filter((text) => text.checkVisibility() && text.scrollWidth > text.clientWidth)
                        .map((text) => text.textContent);
                }""", panel)
                with self.subTest(width=width, height=height, panel=panel):
                    self.assertEqual(cut, [])

    def test_stones_are_no_tiles(self):
        self.load()
        self.show_panel()
        self.page.select_option("#game-choice", "")
        self.page.fill("#game-spec", "1024(blocked: [5])")
        self.page.click("#setup button[type=submit]")
        self.wait("about && about.game.includes('blocked') && frame.opinion")
        self.close_panel()
        stone = self.page.locator("#board .tile[data-stone]")
        self.assertEqual((stone.count(), stone.first.text_content()), (1, ""))
        self.page.click("#pause")
        self.wait("frame.paused && waiting === null")
        expect(self.page.locator("#board")).to_have_attribute("aria-label", re.compile("stone"))
        self.page.locator("#board .cell").nth(5).click()
        swatch = self.page.locator(".swatch[aria-pressed=true]")
        expect(swatch).to_have_text("stone")
        self.picture("browser-stones.png")

    def test_cell_is_changed_by_a_click_and_by_keyboard(self):
        self.load()
        self.set_position(POSITION)
        self.page.locator("#board .cell").nth(5).click()
        expect(self.page.locator("#picker-title")).to_contain_text("Row 2, column 2")
        self.page.locator(".swatch", has_text="64").click()
        self.wait("frame.cells[5] === 6 && frame.paused")
        expect(self.page.locator("#picker")).to_be_hidden()
        # With the keyboard: one cell to the right and down, and to the first tile.
        self.page.keyboard.press("e")
        self.page.keyboard.press("ArrowRight")
        self.page.keyboard.press("ArrowDown")
        self.page.keyboard.press("Enter")
        expect(self.page.locator("#picker-title")).to_contain_text("Row 2, column 2")
        self.page.keyboard.press("Shift+Tab")
        self.page.keyboard.press("Enter")
        self.wait("frame.cells[5] === 5")
        self.assertEqual(self.page.evaluate("document.activeElement.dataset.cell"), "5")
        # Escape leaves the cells; the arrow keys are moves again.
        self.page.keyboard.press("Escape")
        self.page.keyboard.press("ArrowDown")
        self.wait("frame.at === 1")

    def test_values_of_the_moves_are_buttons_that_play_them(self):
        self.load()
        self.set_position(POSITION)
        expect(self.page.locator("#verdict")).to_contain_text("next best")
        expect(self.page.locator("#values button", has_text="Right")).to_be_disabled()
        self.page.locator("#values button", has_text="Down").click()
        self.wait("frame.at === 1 && frame.last.action === 2 && frame.person")

    def test_best_line_is_unfolded_and_hidden_like_the_values(self):
        self.load()
        self.set_position(POSITION)
        self.wait("frame.opinion && waiting === null")
        self.tab_to("#line summary")
        self.page.keyboard.press("Enter")
        first, second = self.page.locator("#line li").all_inner_texts()
        self.assertRegex(first, fr"^{self.text('#choice')}, then 2 in row \d, column \d$")
        self.assertIn(second, ["Up", "Right", "Down", "Left"])
        self.assertNotIn("line", self.text("#facts").split())
        self.page.keyboard.press("t")
        self.wait("frame.person && frame.opinion")
        expect(self.page.locator("#line")).to_be_hidden()
        self.page.keyboard.press("h")
        expect(self.page.locator("#line")).to_be_visible()

    def test_chances_of_large_tiles_are_shown_of_players_that_have_them(self):
        self.load()
        self.set_position("0,0,2,4/0,4,16,8/32,64,128,16/2048,1024,512,256")
        self.wait("frame.opinion && waiting === null")
        expect(self.page.locator("#chances")).to_be_hidden()
        self.show_panel()
        self.page.get_by_role("radio", name="Strongest about").check()
        self.wait("about.player === 'Trained network, 4 plies' && frame.opinion")
        self.close_panel()
        chance = r"\d+: (below 1|above 99|\d+)%"
        self.assertRegex(self.text("#chances"), f"^Chance of {chance}, {chance}$")
        self.picture("browser.png")
        self.page.keyboard.press("t")
        self.wait("frame.person && frame.opinion")
        expect(self.page.locator("#chances")).to_be_hidden()
        self.page.keyboard.press("h")
        expect(self.page.locator("#chances")).to_be_visible()

    def test_report_of_a_tournament_fits_a_screen_and_a_phone(self):
        agents = ["random", "greedy", "rows", "corner-model", "greedy-merges"]
        self.server.run("tournament", "--agent", *agents, "--games", "10", "--out", "t")
        self.page.goto(f"file://{self.server.path('t/report.html')}")
        for width in [1366, 360]:
            self.page.set_viewport_size({"width": width, "height": 768})
            self.assertEqual(self.page.evaluate("document.documentElement.scrollWidth"), width)
            smallest = self.page.evaluate("""() => Math.min(...[...document.querySelectorAll("svg text")].map((text) =>
                parseFloat(getComputedStyle(text).fontSize) * text.ownerSVGElement.getScreenCTM().a))""")
            self.assertGreaterEqual(smallest, 11)
            if width > 1000:
                wide = "all => all.filter((one) => one.scrollWidth > one.clientWidth).length"
                self.assertEqual(self.page.locator(".wide").evaluate_all(wide), 0)

    def test_denied_storage_does_not_break_the_page(self):
        self.page.add_init_script("""Object.defineProperty(window, "localStorage", {
            get() { throw new DOMException("denied", "SecurityError"); } });""")
        self.load()
        self.page.click("#theme")
        self.assertEqual(self.page.evaluate("document.documentElement.dataset.theme"), "light")

    def test_hint_is_seen_beside_the_board_of_a_narrow_screen(self):
        self.page.set_viewport_size({"width": 360, "height": 740})
        self.load()
        self.set_position(POSITION)
        self.page.evaluate("scrollTo(0, 0)")
        self.page.keyboard.press("t")
        self.wait("frame.person && frame.opinion")
        self.page.keyboard.press("h")
        for shown in ["#board", "#values", "#verdict"]:
            box = self.page.locator(shown).bounding_box()
            self.assertLessEqual(box["y"] + box["height"], 740, shown)
        self.picture("browser-narrow-hint.png")


if __name__ == "__main__":
    unittest.main()
