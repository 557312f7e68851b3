//! Writes the generated parts of the documents: `cargo run -p runner-guide`.
#![forbid(unsafe_code)]

use std::process::ExitCode;

fn main() -> ExitCode {
    match runner_guide::write() {
        Ok(written) if written.is_empty() => println!("everything is up to date"),
        Ok(written) => written.iter().for_each(|path| println!("wrote {path}")),
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
