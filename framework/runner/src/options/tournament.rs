//! The options that name a tournament, and its old command lines.

use clap::Args;
use runner_console::shell::{program, quoted};
use runner_play::failure::Failure;
use runner_spec::quantity::{Count, PositiveTime};
use runner_tournament::{Contest, Labelled, Rounds, Tournament};
use std::ffi::OsString;

/// The games, the agents and the settings of a tournament.
#[derive(Debug, Clone, Args)]
pub struct TournamentFlags {
    /// Games; LABEL=SPEC names one in tables; may be repeated
    #[arg(long, value_name = "SPEC", num_args = 1..)]
    pub game: Vec<Labelled>,
    /// Agents, or values, which are played greedily; LABEL=SPEC names one in tables; may be
    /// repeated
    #[arg(long, value_name = "SPEC", num_args = 1..)]
    pub agent: Vec<Labelled>,
    /// Number of games of each agent in each game [default: 100]
    #[arg(long, value_name = "N")]
    pub games: Option<Rounds>,
    /// Rules of a contest: bot-contest (100 games, win rates)
    #[arg(long, value_name = "NAME")]
    pub preset: Option<Contest>,
    /// End each game after this many moves
    #[arg(long, value_name = "N")]
    pub move_limit: Option<Count<1>>,
    /// End each game after this time, like 500ms or 10s
    #[arg(long, value_name = "TIME")]
    pub game_time: Option<PositiveTime>,
    /// Record the games, for `runner replay`; slower for fast agents
    #[arg(long)]
    pub records: bool,
    /// Do not record the games, whatever the file or the folder of --out sets
    #[arg(long, conflicts_with = "records")]
    pub no_records: bool,
    /// Seed of all random numbers [default: 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<Count>,
}

impl TournamentFlags {
    /// Returns the tournament of the flags, which need not name games and agents.
    pub fn tournament(&self) -> Tournament {
        Tournament {
            games: self.game.iter().cloned().map(Into::into).collect(),
            agents: self.agent.iter().cloned().map(Into::into).collect(),
            rounds: self.games,
            preset: self.preset,
            move_limit: self.move_limit,
            game_time: self.game_time,
            seed: self.seed,
            records: (self.records || self.no_records).then_some(self.records),
            ..Tournament::default()
        }
    }

    /// Refuses flags without a game or without an agent.
    pub fn check(&self) -> Result<(), Failure> {
        let missing = [("--game", self.game.len()), ("--agent", self.agent.len())];
        match missing.iter().find(|(_, count)| *count == 0) {
            None => Ok(()),
            Some((flag, _)) => {
                Err(Failure::usage(format!("{flag} is missing; name a file, or games and agents")))
            }
        }
    }
}

/// Refuses a tournament in the words of earlier versions, with the command line of this one.
pub fn refuse_old_words(words: &[OsString]) -> Result<(), Failure> {
    const NEW: [(&str, &str); 3] =
        [("--games", "--game"), ("--agents", "--agent"), ("--rounds", "--games")];
    let words: Vec<_> = words.iter().skip(1).map(|word| word.to_string_lossy()).collect();
    let renamed = |word: &str| {
        let (flag, value) = word.split_once('=').map_or((word, None), |(f, v)| (f, Some(v)));
        let (_, new) = NEW.iter().find(|(old, _)| *old == flag)?;
        Some(value.map_or((*new).to_owned(), |value| format!("{new}={}", quoted(value))))
    };
    let is_old = |word: &str| word.starts_with("--agents") || word.starts_with("--rounds");
    if !words.iter().any(|word| is_old(word)) {
        return Ok(());
    }
    let renamed = words.iter().map(|word| renamed(word).unwrap_or_else(|| quoted(word)));
    let command = [program()].into_iter().chain(renamed).collect::<Vec<_>>().join(" ");
    Err(Failure::usage(format!(
        "--game and --agent name games and agents, and --games N is their number of games: write \
         {command}"
    )))
}
