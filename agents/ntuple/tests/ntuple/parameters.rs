//! Parameters that are refused, and presets.

use super::support::*;

#[test]
fn wrong_parameters_are_refused_by_name() {
    for line in include_str!("parameters.txt").lines().filter(|line| !line.starts_with('#')) {
        let row: Vec<&str> = line.split('|').map(str::trim).collect();
        let error = match row[0] {
            "td" => setting(2, 3).read::<TdNtuple>(row[1]).err(),
            "autostep" => setting(2, 3).read::<AutostepNtuple>(row[1]).err(),
            "ms-td" => setting(2, 3).read::<MsTd>(row[1]).err(),
            other => panic!("{other} is no learner"),
        };
        match (row.get(2), error) {
            (None, None) => {}
            (Some(parameter), Some(error)) => {
                let names_it = error.starts_with(&format!("parameter `{parameter}`"));
                assert!(names_it && error.contains(row[3]), "{line}: {error}");
            }
            (_, error) => panic!("{line}: {error:?}"),
        }
    }
}
