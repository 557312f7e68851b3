//! Writes the generated parts of the documents that are missing or stale:
//! `cargo run --example guide`.
#![forbid(unsafe_code)]

#[path = "mod.rs"]
mod guide;

use std::fs;
use std::io;
use std::process::ExitCode;

fn write() -> io::Result<usize> {
    let mut written = 0;
    for file in guide::files()? {
        let place = guide::root().join(&file.path);
        if fs::read_to_string(&place).is_ok_and(|old| old == file.text) {
            continue;
        }
        let error =
            |error: io::Error| io::Error::new(error.kind(), format!("{}: {error}", file.path));
        fs::write(&place, &file.text).map_err(error)?;
        println!("wrote {}", file.path);
        written += 1;
    }
    Ok(written)
}

fn main() -> ExitCode {
    match write() {
        Ok(0) => println!("everything is up to date"),
        Ok(_) => {}
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
