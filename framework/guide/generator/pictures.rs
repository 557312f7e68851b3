//! The pictures of the documents, one function for each.

mod chart;
mod learning;
mod play;

/// Every picture with its file name, without the ending.
pub fn all() -> Vec<(&'static str, String)> {
    vec![
        ("training", chart::training()),
        ("mdp", play::mdp()),
        ("ply", play::ply()),
        ("expectimax", play::expectimax()),
        ("n-tuple", learning::n_tuple()),
        ("td", learning::td()),
        ("tc", learning::tc()),
        ("stage", learning::stage()),
        ("endgame", learning::endgame()),
    ]
}
