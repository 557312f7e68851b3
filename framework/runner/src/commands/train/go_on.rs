//! The command that goes on with a training that was stopped: what was typed, with
//! what is left of the budget.

use crate::shell::{program, quoted};
use runner_core::Budget;
use std::path::Path;
use std::time::Duration;

/// The flags that are said anew, with a value behind them or without.
const VALUED: [&str; 3] = ["--for", "--moves", "--episodes"];
const PLAIN: [&str; 2] = ["--resume", "--force"];

/// What is to be typed after `arguments` were, if this much is left.
pub fn command(arguments: impl Iterator<Item = String>, rest: &Budget, model: &Path) -> String {
    let mut words = vec![program()];
    let mut arguments = arguments.peekable();
    let mut names_model = false;
    while let Some(word) = arguments.next() {
        let flag = word.split('=').next().unwrap_or_default();
        names_model |= flag == "--model";
        if VALUED.contains(&flag) {
            if flag == word {
                arguments.next();
            }
        } else if !PLAIN.contains(&flag) {
            words.push(quoted(&word));
        }
    }
    if !names_model {
        words.extend(["--model".into(), quoted(&model.to_string_lossy())]);
    }
    words.push("--resume".into());
    let limits = [
        ("--for", rest.time.map(seconds)),
        ("--moves", rest.moves.map(|moves| moves.to_string())),
        ("--episodes", rest.episodes.map(|episodes| episodes.to_string())),
    ];
    for (flag, limit) in limits {
        words.extend(limit.into_iter().flat_map(|limit| [flag.to_owned(), limit]));
    }
    words.join(" ")
}

/// A time as the command line takes it.
fn seconds(time: Duration) -> String {
    match time.subsec_millis() {
        0 => format!("{}s", time.as_secs()),
        thousandths => format!("{}.{thousandths:03}s", time.as_secs()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_budget_is_what_is_left_and_all_else_is_kept() {
        let typed = ["train", "--game", "2048(rows: 3)", "--moves=20M", "--for", "1h", "--force"];
        let rest = Budget {
            moves: Some(123),
            time: Some(Duration::from_millis(90_500)),
            ..Budget::default()
        };
        let after = |typed: &[&str]| {
            let words = typed.iter().map(|word| (*word).to_owned());
            let command = command(words, &rest, Path::new("a b.model"));
            command.split_once(" train ").unwrap().1.to_owned()
        };
        assert_eq!(
            after(&typed),
            "--game '2048(rows: 3)' --model 'a b.model' --resume --for 90.500s --moves 123"
        );
        let named = [&typed[..1], &["--model=x.model", "--resume"]].concat();
        assert_eq!(after(&named), "--model=x.model --resume --for 90.500s --moves 123");
    }
}
