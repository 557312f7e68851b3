//! What a program links in beside the runner's own code.

use runner_laws::workload::Workload;
use runner_plugin::RootRef;

/// What a program links in beside the runner's own code.
#[derive(Clone)]
pub struct Linked {
    /// Plugins that need no library file.
    pub plugins: Vec<RootRef>,
    /// The work of `runner bench` on games and agents that are compiled together, which
    /// loaded plugins are compared with.
    pub workloads: fn() -> Vec<Workload>,
}
