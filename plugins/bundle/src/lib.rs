//! Every plugin of this repository, linked in.
