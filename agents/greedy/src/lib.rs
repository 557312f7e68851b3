//! Takes the largest immediate reward.
