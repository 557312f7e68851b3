//! The learners: their networks, rules, trainings and models. One program, because every file of
//! this folder would be linked separately.

mod exchange;
mod features;
mod folding;
mod in_step;
mod learning;
mod models;
mod multi_stage;
mod network;
mod parameters;
mod presets;
mod reference;
mod resuming;
mod small_boards;
mod starts;
mod support;
mod training;
