"""Tests of the session of the static page in Chromium, with an engine that answers after a pause."""

import pathlib
import shutil
import tempfile
import unittest

from chromium import ChromiumTest, address, close, site

SESSION = pathlib.Path(__file__).parents[3] / "framework/web/page/program/session.js"

MODULES = {
    "engine.js": """
        const position = (bits) => ({ bits, text: bits, cells: [], legal: [0, 1, 2, 3], max_tile: 2 });
        const ANSWERS = {
          start: () => ({ position: position(""), score: 0 }),
          think: () => ({ choice: 0, values: [], facts: {}, seconds: 0.03 }),
          play: ({ bits, action }) => ({ position: position(`${bits}${action}`), reward: 0, after: [] }),
        };
        export const randomBits = () => "0";
        export async function ask(request) {
          await new Promise((resolve) => setTimeout(resolve, 30));
          return ANSWERS[request.do](request);
        }""",
    "frame.js": "export const receive = () => {}; export const showAbout = () => {};",
    "review.js": "export const showReview = () => {};",
    "judge.js": "export const judge = async () => {}; export const loss = () => null;",
}


class Session(ChromiumTest):
    def test_quick_moves_are_made_one_after_another(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, text in MODULES.items():
                pathlib.Path(folder, name).write_text(text)
            shutil.copy(SESSION, folder)
            pathlib.Path(folder, "index.html").write_text("<link rel=icon href=data:,>")
            server = site(folder)
            self.addCleanup(close, server)
            self.page.goto(address(server))
            made = self.page.evaluate("""async () => {
                const { session } = await import("/session.js");
                session.open({}, "player");
                await new Promise((resolve) => setTimeout(resolve, 200));
                await session.obey({ do: "take-over" });
                await Promise.all([3, 1, 2].map((action) => session.obey({ do: "act", action })));
                return session.line.slice(1).map(({ action }) => action);
            }""")
        self.assertEqual(made[-3:], [3, 1, 2])


if __name__ == "__main__":
    unittest.main()
