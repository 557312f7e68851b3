//! The options that name a tournament.

use clap::Args;
use runner_play::failure::Failure;
use runner_spec::quantity::{Count, PositiveTime};
use runner_tournament::{Contest, Labelled, Rounds, Tournament};

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
