//! Where the tables of endings lie.

use crate::data_folder;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};

/// The extension of the files of tables.
pub const EXTENSION: &str = "table";
/// The extension of the folder of a build, after that of its file.
pub const BUILD_EXTENSION: &str = "building";

/// Returns the folder that has a folder of tables for each game, if the environment names a folder
/// of the user.
pub fn all_games() -> Option<PathBuf> {
    Some(data_folder()?.join("endgame"))
}

/// Returns the folder of the tables of a game, if the environment names a folder of the user.
pub fn folder(game_name: &str) -> Option<PathBuf> {
    Some(all_games()?.join(game_name))
}

/// Returns the file that is meant by the name of a table, as in `L3-512`, or by a path.
pub fn path(game_name: &str, table: &str) -> PathBuf {
    match folder(game_name).filter(|_| !is_path(table)) {
        Some(folder) => folder.join(table).with_extension(EXTENSION),
        None => table.into(),
    }
}

/// Returns true for a path, which needs no game to be found, as the name of a table does.
pub fn is_path(table: &str) -> bool {
    table.contains(['/', MAIN_SEPARATOR]) || Path::new(table).extension().is_some()
}
