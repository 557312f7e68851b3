//! The definition of a tournament, as its file holds it: [`Tournament`].

use runner_core::Spec;
use runner_play::failure::Failure;
use runner_play::inputs::Inputs;
use runner_play::models;
use runner_spec::quantity::{Count, PositiveTime};
use runner_spec::{SpecError, SpecOr, nearest, steers_terminal};
use serde::{Deserialize, Deserializer, Serialize};
use std::collections::BTreeSet;
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

/// Default number of games of each agent in each game.
const ROUNDS: u64 = 100;
/// Maximum length of a label, in characters.
const LONGEST_LABEL: usize = 200;

/// A number of games of each agent in each game. Sums over all games stay within 64 bits.
pub type Rounds = Count<1, 1_000_000_000_000>;

/// The rounds of a part of a tournament, written `1..=250`. Rounds are counted from 1: round `k`
/// is the game number `k - 1` of each agent in each game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct RoundRange {
    pub first: u64,
    pub last: u64,
}

impl FromStr for RoundRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Some((first, last)) = text.split_once("..=")
            && let (Ok(first), Ok(last)) = (first.trim().parse(), last.trim().parse())
            && (1..=last).contains(&first)
        {
            return Ok(Self { first, last });
        }
        Err("expected the first and the last round, counted from 1, like 1..=250".into())
    }
}

impl TryFrom<String> for RoundRange {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

impl From<RoundRange> for String {
    fn from(range: RoundRange) -> Self {
        range.to_string()
    }
}

impl fmt::Display for RoundRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}..={}", self.first, self.last)
    }
}

/// A tournament: every agent plays every game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Tournament {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(rename = "game", deserialize_with = "entries")]
    pub games: Vec<GameEntry>,
    #[serde(rename = "agent", deserialize_with = "entries")]
    pub agents: Vec<AgentEntry>,
    /// Number of games of each agent in each game.
    #[serde(rename = "games", skip_serializing_if = "Option::is_none")]
    pub rounds: Option<Rounds>,
    /// The rounds that are played, if this is a part of a tournament.
    #[serde(rename = "rounds", skip_serializing_if = "Option::is_none")]
    pub part: Option<RoundRange>,
    /// Seed of all random numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<Count>,
    /// Maximum number of moves of a game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub move_limit: Option<Count<1>>,
    /// Time of a game after which none of its moves starts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub game_time: Option<PositiveTime>,
    /// Value by which the luck of each game is measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub luck: Option<Spec>,
    /// Label of the agent whose rating is 0; the weakest if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub anchor: Option<String>,
    /// The agents in each game, with all parameters. The program writes this list and compares
    /// later runs with it; it is not a setting.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub players: Vec<ResolvedPlayer>,
    /// The plugins and files that the results depend on. The program writes this list and compares
    /// later runs with it; it is not a setting.
    #[serde(skip_serializing_if = "Inputs::is_empty")]
    pub inputs: Inputs,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GameEntry {
    /// Name in tables; the spec if there is none.
    #[serde(default)]
    pub label: String,
    pub game: Spec,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AgentEntry {
    /// Name in tables; the spec if there is none.
    #[serde(default)]
    pub label: String,
    /// The agent, or a value that is played greedily.
    pub agent: Spec,
}

/// An agent in a game, with all parameters and the seed of its games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ResolvedPlayer {
    pub game: String,
    pub agent: String,
    pub spec: Spec,
    /// Seed of its games: `runner eval` with this seed plays the same ones.
    pub seed: u64,
}

impl From<Spec> for GameEntry {
    fn from(game: Spec) -> Self {
        Self { label: String::new(), game }
    }
}

impl From<Spec> for AgentEntry {
    fn from(agent: Spec) -> Self {
        Self { label: String::new(), agent }
    }
}

/// Reads a list of entries, each a spec or a group of a spec and further fields.
fn entries<'de, T, D>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    T: From<Spec> + Deserialize<'de>,
    D: Deserializer<'de>,
{
    let entries: Vec<SpecOr<T>> = Vec::deserialize(deserializer)?;
    Ok(entries.into_iter().map(|SpecOr(entry)| entry).collect())
}

/// Reads a spec that may be preceded by a label: `deep=expectimax(depth: 3)`.
fn labelled(
    text: &str,
    parse: fn(&str) -> Result<Spec, SpecError>,
) -> Result<(String, Spec), SpecError> {
    // An `=` after the first of these belongs to the parameters of the spec.
    let end = text.find(['(', '"']).unwrap_or(text.len());
    match text[..end].split_once('=') {
        Some((label, _)) => Ok((label.trim().to_owned(), parse(&text[label.len() + 1..])?)),
        None => Ok((String::new(), parse(text)?)),
    }
}

impl FromStr for GameEntry {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        labelled(text, str::parse).map(|(label, game)| Self { label, game })
    }
}

impl FromStr for AgentEntry {
    type Err = SpecError;

    fn from_str(text: &str) -> Result<Self, SpecError> {
        labelled(text, models::player).map(|(label, agent)| Self { label, agent })
    }
}

impl Tournament {
    pub fn rounds(&self) -> u64 {
        self.rounds.map_or(ROUNDS, Count::get)
    }

    pub fn part(&self) -> RoundRange {
        self.part.unwrap_or(RoundRange { first: 1, last: self.rounds() })
    }

    /// Returns the numbers of the games that each agent plays in each game, counted from 0.
    pub fn numbers(&self) -> Range<u64> {
        let RoundRange { first, last } = self.part();
        first - 1..last
    }

    pub fn seed(&self) -> u64 {
        self.seed.map_or(1, Count::get)
    }

    /// Takes the games, agents and settings from another tournament where this one has none.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self {
            title: self.title.or(other.title),
            games: if self.games.is_empty() { other.games } else { self.games },
            agents: if self.agents.is_empty() { other.agents } else { self.agents },
            rounds: self.rounds.or(other.rounds),
            part: self.part.or(other.part),
            seed: self.seed.or(other.seed),
            move_limit: self.move_limit.or(other.move_limit),
            game_time: self.game_time.or(other.game_time),
            luck: self.luck.or(other.luck),
            anchor: self.anchor.or(other.anchor),
            ..self
        }
    }

    pub fn game_labels(&self) -> Vec<&str> {
        self.games.iter().map(|game| game.label.as_str()).collect()
    }

    pub fn agent_labels(&self) -> Vec<&str> {
        self.agents.iter().map(|agent| agent.label.as_str()).collect()
    }

    /// Gives each entry without a label its spec as the label.
    pub fn fill_labels(&mut self) {
        let games = self.games.iter_mut().map(|entry| (&mut entry.label, &entry.game));
        let agents = self.agents.iter_mut().map(|entry| (&mut entry.label, &entry.agent));
        for (label, spec) in games.chain(agents) {
            if label.is_empty() {
                *label = spec.to_string().split_whitespace().collect::<Vec<_>>().join(" ");
            }
        }
    }

    /// Returns the errors of all labels, each after the name of its setting.
    pub fn wrong_labels(&self) -> Vec<(String, Failure)> {
        let mut wrong = Vec::new();
        let agents = self.agent_labels();
        check_labels("game", &self.game_labels(), &mut wrong);
        check_labels("agent", &agents, &mut wrong);
        if let Some(anchor) = &self.anchor
            && !agents.contains(&anchor.as_str())
        {
            let nearest = nearest(anchor, agents.iter().copied());
            let hint = nearest.map_or(String::new(), |label| format!(" (did you mean `{label}`?)"));
            let all = agents.join("; ");
            let message = format!("no agent `{anchor}` plays{hint}; agents: {all}");
            wrong.push(("anchor".into(), Failure::usage(message)));
        }
        wrong
    }
}

/// Appends the errors of the labels of all games, or of all agents, to `wrong`.
fn check_labels(what: &str, labels: &[&str], wrong: &mut Vec<(String, Failure)>) {
    let mut refuse = |message: String| wrong.push(("labels".into(), Failure::usage(message)));
    let mut known = BTreeSet::new();
    for label in labels {
        if label.chars().count() > LONGEST_LABEL || label.chars().any(steers_terminal) {
            refuse(format!(
                "the label of {what} `{}` must have at most {LONGEST_LABEL} characters, all \
                 printable; give another, like `first=SPEC`, or in a file (label: \"first\", {what}: SPEC)",
                runner_spec::printable(label)
            ));
        }
        if !known.insert(label) {
            refuse(format!(
                "two {what}s have the label `{label}`; give one of them another, like \
                 `second=SPEC`, or in a file (label: \"second\", {what}: SPEC)"
            ));
        }
    }
    if known.is_empty() {
        wrong.push((format!("{what}s"), Failure::usage(format!("at least one {what} is needed"))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_that_is_wrong_with_labels_is_named() {
        let mut tournament = Tournament {
            games: ["a=2048", "b=2048", "a=threes"].map(|game| game.parse().unwrap()).to_vec(),
            agents: ["random", "two=random", "two=random"].map(|a| a.parse().unwrap()).to_vec(),
            ..Tournament::default()
        };
        tournament.fill_labels();
        let wrong = tournament.wrong_labels();
        let wrong: Vec<_> = wrong.iter().map(|(what, why)| format!("{what}: {why}")).collect();
        assert_eq!(wrong.len(), 2, "{wrong:?}");
        assert!(wrong[0].starts_with("labels: two games have the label `a`"), "{wrong:?}");
        assert!(wrong[1].starts_with("labels: two agents have the label `two`"), "{wrong:?}");
    }
}
