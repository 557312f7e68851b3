//! Finds a plugin by its name.

use runner_play::failure::Failure;
use runner_plugin::{NameError, PluginInfo};

pub fn find(name: &str, plugins: &[PluginInfo]) -> Result<PluginInfo, Failure> {
    plugins.iter().find(|plugin| plugin.name == name).cloned().ok_or_else(|| {
        let known: Vec<_> = plugins.iter().map(|plugin| plugin.name.as_str()).collect();
        NameError::unknown("plugin", name, &known).into()
    })
}
