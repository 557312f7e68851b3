//! The plugin ABI: export, load, and the proxies that play on loaded games.
