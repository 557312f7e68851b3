//! `runner run`, the main job: from two names to a table of scores in a minute.

use super::eval::evaluate;
use crate::cli::Run;
use crate::failure::Failure;
use crate::learning;
use crate::setting::Setting;
use runner_plugin::Registry;
use std::sync::Arc;
use std::time::Duration;

/// No game is begun after this time.
const PLAY: Duration = Duration::from_secs(60);

pub(super) fn run(run: &Run, registry: &Arc<Registry>) -> Result<(), Failure> {
    let mut setting = Setting::new(&run.contest, registry)?;
    let mut time = PLAY;
    if !setting.names_model && setting.player.learner().is_some() {
        let learned;
        (setting, learned) = learning::prepare(setting, registry, run.learn)?;
        // A minute in all.
        time = PLAY.saturating_sub(learned).max(Duration::from_secs(10));
    }
    evaluate(&setting, Some(time), None)
}
