//! Finds a plugin by its name.

use runner_play::failure::Failure;
use runner_plugin::{NameError, PluginInfo};
use runner_spec::nearest;

pub fn find(name: &str, plugins: &[PluginInfo]) -> Result<PluginInfo, Failure> {
    plugins.iter().find(|plugin| plugin.name == name).cloned().ok_or_else(|| {
        let known: Vec<_> = plugins.iter().map(|plugin| plugin.name.clone()).collect();
        NameError::Unknown {
            wanted: "plugin".into(),
            name: name.into(),
            nearest: nearest(name, known.iter().map(String::as_str)).map(Into::into),
            known,
        }
        .into()
    })
}
