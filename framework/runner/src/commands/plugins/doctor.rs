//! `runner plugins doctor`: tests everything that plugins do, and reports each test in one line.

use super::find::find;
use crate::context::Context;
use clap::Args;
use runner_play::failure::Failure;
use runner_plugin_kit::doctor::examine;
use runner_spec::Spec;
use runner_spec::quantity::PositiveTime;

/// Test all functions of plugins and report what is wrong
#[derive(Debug, Clone, Args)]
pub struct DoctorOptions {
    /// Names of plugins, with parameters if wanted [default: all plugins]
    plugins: Vec<Spec>,
    /// Longest time of one call of a plugin
    #[arg(long, value_name = "TIME", default_value = "60s")]
    timeout: PositiveTime,
}

pub(super) fn run(context: &Context, options: &DoctorOptions) -> Result<(), Failure> {
    let registry = context.silent_registry();
    let all = registry.plugins();
    let mut chosen = Vec::new();
    for spec in &options.plugins {
        chosen.push((find(spec.name(), &all)?, spec.clone()));
    }
    examine(registry, &chosen, options.timeout.get(), context.common.verbose)
}
