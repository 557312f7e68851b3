//! `runner plugins doctor`: tests everything that plugins do, and reports each test in one line.

use super::find;
use crate::context::Context;
use clap::Args;
use runner_play::failure::Failure;
use runner_plugin_kit::doctor::{Finding, Hang, examine};
use runner_spec::quantity::{PositiveTime, counted, time};
use runner_spec::{Spec, printable};
use std::io::{Write, stderr, stdout};
use std::time::Duration;

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
    let mut report = |finding: Finding<'_>| {
        let mut out = stdout().lock();
        match finding {
            Finding::Good(text) => writeln!(out, "ok  {}", printable(&text))?,
            Finding::Bad(text) => writeln!(out, "BAD {}", printable(&text))?,
            Finding::NotTested(text) => writeln!(out, "--  {}", printable(&text))?,
            Finding::Library(problem) => {
                let text = format!("file {}: {}", problem.file.display(), problem.message);
                writeln!(out, "BAD {}", printable(&text))?;
                if context.common.verbose
                    && let Some(detail) = &problem.detail
                {
                    writeln!(out, "{detail}")?;
                }
            }
        }
        Ok(())
    };
    // Without names, all plugins are tested.
    let chosen = if chosen.is_empty() { None } else { Some(&chosen[..]) };
    let timeout = (options.timeout.get(), end as Hang);
    match examine(registry, registry.problems(), chosen, timeout, &mut report)? {
        0 => Ok(()),
        failed => Err(Failure::failed(format!("{} failed", counted(failed, "test")))),
    }
}

/// Reports the call of a plugin that does not return, and ends the program.
fn end(call: &str, limit: Duration) -> ! {
    let (call, limit) = (printable(call), time(limit));
    // The exit code still reports the failure where the output cannot be written.
    let _ = writeln!(stdout(), "BAD {call}: no return within {limit}, probably an endless loop");
    let _ = writeln!(stderr(), "error: {call} does not return; the tests after it did not run");
    std::process::exit(1);
}
