//! Labels in tables: cut to a width, and still different from each other.

use super::text::shortened;
use std::collections::{BTreeMap, BTreeSet};
use textwrap::core::display_width;

/// Cuts labels to a width in columns, of at least 8. Labels with the same beginning are cut where
/// they differ, and numbered if they are still equal then. The result does not depend on the order
/// of the labels.
pub fn shortened_labels<'a>(
    labels: impl Iterator<Item = &'a str>,
    width: usize,
) -> BTreeMap<&'a str, String> {
    let labels: BTreeSet<_> = labels.collect();
    let mut short = BTreeMap::new();
    for group in groups(labels.iter().map(|&label| (label, shortened(label, width)))).into_values()
    {
        let is_alone = group.len() == 1;
        for &label in &group {
            let others = group.iter().filter(|&&other| other != label);
            let place = others.map(|other| common_start(label, other)).max().unwrap_or(0);
            let is_whole = is_alone || display_width(label) <= width;
            let cut = if is_whole { shortened(label, width) } else { cut_at(label, place, width) };
            short.insert(label, cut);
        }
    }
    let equal = groups(short.clone().into_iter()).into_values().filter(|group| group.len() > 1);
    for (label, number) in equal.flatten().zip(1..) {
        let number = format!("#{number}");
        let cut = shortened(label, width.saturating_sub(number.len()));
        short.insert(label, cut + &number);
    }
    short
}

/// Groups labels by their short forms.
fn groups<'a>(labels: impl Iterator<Item = (&'a str, String)>) -> BTreeMap<String, Vec<&'a str>> {
    let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
    labels.for_each(|(label, short)| groups.entry(short).or_default().push(label));
    groups
}

/// Returns the length of the common start of two labels, in bytes.
fn common_start(a: &str, b: &str) -> usize {
    let equal = a.chars().zip(b.chars()).take_while(|(a, b)| a == b);
    equal.map(|(c, _)| c.len_utf8()).sum()
}

/// Returns the start of a label, and what follows from a place or before it, in bytes: its whole
/// end if there is room.
fn cut_at(label: &str, place: usize, width: usize) -> String {
    let start = shortened(label, width / 3);
    let room = width - display_width(&start);
    let mut ends = label.char_indices().map(|(at, _)| at).take_while(|&at| at <= place);
    let end = ends.find(|&at| display_width(&label[at..]) <= room);
    // A few characters before the difference show what it is in.
    let context = || label[..place].char_indices().rev().nth(room / 3).map_or(0, |(at, _)| at);
    start + &shortened(&label[end.unwrap_or_else(context)..], room)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(labels: &[&str], width: usize) -> Vec<String> {
        let short = shortened_labels(labels.iter().copied(), width);
        labels.iter().map(|label| short[label].clone()).collect()
    }

    #[test]
    fn labels_are_cut_where_they_differ() {
        assert_eq!(short(&["random", "a rather long label"], 10), ["random", "a rather …"]);
        assert_eq!(
            short(
                &[
                    "expectimax(depth: 2, value: \"a.model\")",
                    "expectimax(depth: 2, value: \"b.model\")",
                    "expectimax(depth: 3, value: \"b.model\", threads: 1)",
                ],
                26
            ),
            [
                "expecti… value: \"a.model\")",
                "expecti… value: \"b.model\")",
                "expectimax(depth: 3, valu…"
            ]
        );
        let middle = ["mcts(simulations: 100, value: rows, keep: true, threads: 1)"; 2];
        let middle = [middle[0], &middle[1].replace("rows", "ring")];
        assert_eq!(short(&middle, 20), ["mcts(…ue: rows, kee…", "mcts(…ue: ring, kee…"]);
    }

    #[test]
    fn labels_stay_different_at_every_width() {
        let start = "expectimax(depth: 2, value: ";
        let ends =
            ["", "1)", "12)", "12, prune: true, threads: 2)", "12, prune: true, threads: 3)"];
        let mut labels: Vec<_> = ends.iter().map(|end| format!("{start}{end}")).collect();
        labels.extend(["名前の長いエージェント、一", "名前の長いエージェント、二"].map(Into::into));
        // Three differences: two of them are cut away.
        for [a, b, c] in [[0, 0, 0], [0, 0, 1], [0, 1, 0], [0, 1, 1], [1, 0, 0], [1, 0, 1]] {
            let gap = "-".repeat(30);
            labels.push(format!("{gap}{a}{gap}{b}{gap}{c}{gap}"));
        }
        let labels: Vec<_> = labels.iter().map(String::as_str).collect();
        for width in 8..40 {
            let short = short(&labels, width);
            assert!(short.iter().all(|label| display_width(label) <= width), "{short:?}");
            let different: BTreeSet<_> = short.iter().collect();
            assert_eq!(different.len(), labels.len(), "{width}: {short:?}");
        }
    }
}
