//! The options that name a tournament.

use clap::Args;
use runner_core::Spec;
use runner_play::models;
use runner_spec::quantity::{Count, PositiveTime};
use runner_tournament::{AgentEntry, GameEntry, RoundRange, Rounds, Tournament};

/// The games, the agents and the settings of a tournament.
#[derive(Debug, Clone, Args)]
pub struct TournamentFlags {
    /// Games; LABEL=SPEC names one in tables; may be repeated [default: 2048]
    #[arg(long, value_name = "SPEC", num_args = 1..)]
    pub game: Vec<GameEntry>,
    /// Agents, or values, which are played greedily; LABEL=SPEC names one in tables; may be
    /// repeated
    #[arg(long, value_name = "SPEC", num_args = 1..)]
    pub agent: Vec<AgentEntry>,
    /// Number of games of each agent in each game [default: 100]
    #[arg(long, value_name = "N")]
    pub games: Option<Rounds>,
    /// Play only these rounds, counted from 1, like 1..=250: a part for `tournament merge`
    #[arg(long, value_name = "FIRST..=LAST")]
    pub rounds: Option<RoundRange>,
    /// End each game after this many moves
    #[arg(long, value_name = "N")]
    pub move_limit: Option<Count<1>>,
    /// End each game after this time, like 500ms or 10s
    #[arg(long, value_name = "TIME")]
    pub game_time: Option<PositiveTime>,
    /// Take the luck of each game off its score, as this value of the game measures it
    #[arg(long, value_name = "SPEC", value_parser = models::player)]
    pub luck: Option<Spec>,
    /// Agent, by its name in tables, whose rating is 0 [default: the weakest]
    #[arg(long, value_name = "NAME")]
    pub anchor: Option<String>,
    /// Seed of all random numbers [default: 1]
    #[arg(long, value_name = "N")]
    pub seed: Option<Count>,
}

impl TournamentFlags {
    /// Returns the tournament of the flags, which need not name games and agents.
    pub fn tournament(&self) -> Tournament {
        Tournament {
            games: self.game.clone(),
            agents: self.agent.clone(),
            rounds: self.games,
            part: self.rounds,
            move_limit: self.move_limit,
            game_time: self.game_time,
            luck: self.luck.clone(),
            seed: self.seed,
            anchor: self.anchor.clone(),
            ..Tournament::default()
        }
    }
}
