//! Names that the report must escape or cut.

use crate::harness::place::Place;
use std::fs;

const ODD: &str = r#"(
    title: "<b>odd</b> & \"names\" | `code` *stars* _under_ [link](x) $math$",
    game: [
        (label: "a|b <i>*x*</i>", game: 2048(rows: 3, cols: 3)),
        (label: "Over all games", game: 2048(rows: 2, cols: 3)),
    ],
    agent: [
        random,
        (label: "deep & <b>wide</b>, \"x\" | [l](m)", agent: greedy),
        (label: "名前の長いエージェント 名前の長いエージェント", agent: rows),
    ],
    games: 20,
)"#;

/// Returns the number of columns of a line: characters of East Asia take two.
fn width(line: &str) -> usize {
    line.chars().map(|c| if ('\u{3000}'..'\u{a000}').contains(&c) { 2 } else { 1 }).sum()
}

#[test]
fn odd_names_break_no_form_of_the_report() {
    let place = Place::new();
    fs::write(place.path("t.ron"), ODD).unwrap();
    let ran = place.done("tournament t.ron --out t");
    assert!(ran.out.lines().all(|line| width(line) <= 80), "{}", ran.out);

    let html = place.text("t/report.html");
    for tag in ["<b>", "<i>", "\"x\""] {
        assert!(!html.contains(tag), "{tag}");
    }
    // One heading for the ratings, one for the game of this name.
    assert_eq!(html.matches("<h2>Over all games</h2>").count(), 2);
    // The names are beside the plots, once for each game.
    assert_eq!(html.matches("<span><svg").count(), 6);

    let markdown = place.text("t/report.md");
    let escaped =
        r#"# &lt;b>odd&lt;/b> &amp; "names" \| \`code\` \*stars\* \_under\_ \[link\](x) \$math\$"#;
    assert!(markdown.starts_with(escaped), "{markdown}");
    // Every row of a table has as many cells as its head.
    let mut bars = 0;
    for line in markdown.lines().filter(|line| line.starts_with('|')) {
        let own = line.replace(r"\|", "").matches('|').count();
        let is_head = ["| agent", "| A", "| name"].iter().any(|start| line.starts_with(start));
        bars = if is_head { own } else { bars };
        assert_eq!(own, bars, "{line}");
    }
}
