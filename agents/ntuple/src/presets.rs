//! The presets of the learners, one file each.

use runner_core::Preset;

/// Returns the presets of `tc-ntuple`.
pub fn of_tc() -> Vec<Preset> {
    vec![
        Preset::new("delayed-tc-2017", include_str!("../presets/delayed-tc-2017.ron")),
        Preset::new("efficient", include_str!("../presets/efficient.ron")),
        Preset::new("optimistic", include_str!("../presets/optimistic.ron")),
    ]
}
