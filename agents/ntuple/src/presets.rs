//! The presets of the learners, one file each.

use runner_core::Preset;

pub fn of_tc() -> Vec<Preset> {
    vec![
        Preset::new("delayed-tc-2017", include_str!("../presets/delayed-tc-2017.ron")),
        Preset::new("efficient", include_str!("../presets/efficient.ron")),
        Preset::new("efficient-threes", include_str!("../presets/efficient-threes.ron")),
        Preset::new("optimistic", include_str!("../presets/optimistic.ron")),
    ]
}

pub fn of_ms_td() -> Vec<Preset> {
    vec![
        Preset::new("paper-2048", include_str!("../presets/paper-2048.ron")),
        Preset::new("paper-threes", include_str!("../presets/paper-threes.ron")),
        Preset::new("paper-tuned", include_str!("../presets/paper-tuned.ron")),
    ]
}
