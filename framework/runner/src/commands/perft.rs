//! `runner perft`: counts the leaves of the full game tree.

use crate::context::{Context, Execute};
use crate::options::{PositionOptions, ResourceOptions, game_or_default};
use clap::Args;
use runner_console::notes::note;
use runner_console::output::{Report, print_report};
use runner_play::calls::Endless;
use runner_play::failure::{Failure, attributed};
use runner_play::position::Position;
use runner_play::threads::{Services, Threads};
use runner_solver::perft;
use runner_spec::Spec;
use runner_spec::quantity::{Count, grouped, time};
use std::io::{Write, stdout};
use std::time::Instant;

/// Count the sequences of moves and chance outcomes from a position
#[derive(Debug, Clone, Default, Args)]
pub struct PerftOptions {
    /// Game, like threes or '2048(rows: 3, cols: 4)' [default: 2048]
    #[arg(long, value_name = "SPEC")]
    game: Option<Spec>,
    /// Length of the sequences in moves, 0 to 1000
    #[arg(long, value_name = "N")]
    depth: Option<Count<0, 1000>>,
    #[command(flatten)]
    position: PositionOptions,
    #[command(flatten)]
    resources: ResourceOptions,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Execute for PerftOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        let Some(depth) = self.depth else {
            return Err(Failure::usage("--depth is missing: the length of the sequences, like 3"));
        };
        let depth = depth.get() as u32;
        let (seed, registry) = (self.resources.seed(), context.registry());
        let spec = game_or_default(self.game.as_ref(), [], &context.linked)?;
        let position = self.position.find(&spec, seed, registry)?;
        let threads = Threads::new(self.resources.threads())?;
        if !self.json && self.position.state.is_none() {
            note(format!("note: from {}", position.text));
        }
        let Position { game, state, text } = &position;
        let services = Services::new(&threads, registry, game);
        let call = game.calls.enter_as(&game.label, "perft", Endless::Always);
        let count = |depth: u32| {
            perft(&*game.rules, *state, depth, &services, &|| call.progress())
                .map_err(|fault| Failure::failed(attributed(&fault.0, &[&game.label])))
        };
        if !self.json {
            // Each count is printed as soon as it is known: a deeper one may take hours.
            for length in 0..=depth {
                let began = Instant::now();
                let leaves = count(length)?;
                let time = time(began.elapsed());
                writeln!(stdout(), "{length:>3} {:>25}   {time}", grouped(leaves))?;
            }
            return Ok(());
        }
        let began = Instant::now();
        let leaves = count(depth)?;
        let mut report = Report::default();
        report.field("game", game.spec.to_string()).field("state", text);
        report.field("depth", depth).field("count", leaves);
        report.field("seconds", began.elapsed().as_secs_f64());
        Ok(print_report(&report, true)?)
    }
}
