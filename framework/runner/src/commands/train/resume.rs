//! The command that resumes a training which was interrupted.

use runner_console::shell::{program, quoted, without};
use runner_core::TrainingBudget;
use runner_spec::quantity::seconds;
use std::path::Path;

/// Flags that the command states anew: those with a value, and those without.
const VALUED: [&str; 5] = ["--for", "--moves", "--episodes", "--model", "--from"];
const PLAIN: [&str; 2] = ["--resume", "--force"];

/// Returns the command that continues a training to the same end. Limits count from its start,
/// so they are those of the first command.
pub fn command(
    arguments: impl Iterator<Item = String>,
    budget: &TrainingBudget,
    model: &Path,
) -> String {
    let typed = without(arguments, &VALUED, &PLAIN);
    let mut words = vec![program()];
    words.extend(typed.iter().map(|word| quoted(word)));
    words.extend(["--model".into(), quoted(&model.to_string_lossy()), "--resume".into()]);
    let limits = [
        ("--for", budget.time.map(seconds)),
        ("--moves", budget.moves.map(|moves| moves.to_string())),
        ("--episodes", budget.episodes.map(|episodes| episodes.to_string())),
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
    fn command_keeps_the_flags_and_states_limits_and_model() {
        let budget = TrainingBudget {
            moves: Some(20_000_000),
            time: Some(Duration::from_millis(90_500)),
            ..TrainingBudget::default()
        };
        let after = |typed: &[&str]| {
            let words = typed.iter().map(|word| (*word).to_owned());
            let command = command(words, &budget, Path::new("a b.model"));
            command.split_once(" train ").unwrap().1.to_owned()
        };
        let end = "--model 'a b.model' --resume --for 90.5s --moves 20000000";
        let typed = ["train", "--game", "2048(rows: 3)", "--moves=20M", "--for", "1h", "--force"];
        assert_eq!(after(&typed), format!("--game '2048(rows: 3)' {end}"));
        assert_eq!(after(&["train", "--model=x.model", "--resume"]), end);
        assert_eq!(after(&["train", "--from", "old.model", "--model=x.model"]), end);
    }
}
