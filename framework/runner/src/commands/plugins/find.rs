//! Finds a plugin by its name.

use runner_play::failure::Failure;
use runner_play::registry::unknown;
use runner_plugin::PluginInfo;

pub fn find(name: &str, plugins: &[PluginInfo]) -> Result<PluginInfo, Failure> {
    let names = || plugins.iter().map(|plugin| plugin.name.as_str());
    let found = plugins.iter().find(|plugin| plugin.name == name).cloned();
    found.ok_or_else(|| unknown("plugin", name, None, names()))
}
