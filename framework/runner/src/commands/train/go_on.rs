//! The command that goes on with a training that was stopped: what was typed, with
//! what is left of the budget.

use crate::shell::{program, quoted, seconds, without};
use runner_core::TrainingBudget;
use std::path::Path;

/// The flags that are said anew, with a value behind them or without.
const VALUED: [&str; 3] = ["--for", "--moves", "--episodes"];
const PLAIN: [&str; 2] = ["--resume", "--force"];

/// What is to be typed after `arguments` were, if this much is left.
pub fn command(
    arguments: impl Iterator<Item = String>,
    rest: &TrainingBudget,
    model: &Path,
) -> String {
    let typed = without(arguments, &VALUED, &PLAIN);
    let names_model = typed.iter().any(|word| word.split('=').next() == Some("--model"));
    let mut words = vec![program()];
    words.extend(typed.iter().map(|word| quoted(word)));
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

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn the_budget_is_what_is_left_and_all_else_is_kept() {
        let typed = ["train", "--game", "2048(rows: 3)", "--moves=20M", "--for", "1h", "--force"];
        let rest = TrainingBudget {
            moves: Some(123),
            time: Some(Duration::from_millis(90_500)),
            ..TrainingBudget::default()
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
