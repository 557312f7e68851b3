//! The note about games that were forfeited.

use runner_console::notes::note;
use runner_spec::quantity::counted;

/// Reports forfeited games, and the flags that play them again.
pub fn note_forfeits(forfeited: u64, again: Option<&str>) {
    if forfeited > 0 {
        let again = again.map(|flags| format!("; {flags} plays them again")).unwrap_or_default();
        let games = counted(forfeited, "game");
        note(format!("note: {games} forfeited; `runner plugins doctor` examines plugins{again}"));
    }
}
