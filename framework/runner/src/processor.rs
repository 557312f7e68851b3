//! The choice of a program by the processor. An archive for x86-64 holds the program twice: `runner`
//! for every processor and, beside it, `runner-x86-64-v3` for those with AVX2 and BMI2.

/// Replaces this process with the program for newer processors, if it lies beside this one and the
/// processor has the instructions. The variable `RUNNER_BASELINE` prevents it.
#[cfg(all(unix, target_arch = "x86_64", not(target_feature = "avx2")))]
pub fn use_newer_program() {
    use std::env::{args_os, current_exe, var_os};
    use std::os::unix::process::CommandExt as _;
    use std::path::PathBuf;
    use std::process::Command;

    // Every processor with these also has the instructions of x86-64-v2.
    let has_instructions = is_x86_feature_detected!("avx2")
        && is_x86_feature_detected!("bmi1")
        && is_x86_feature_detected!("bmi2")
        && is_x86_feature_detected!("f16c")
        && is_x86_feature_detected!("fma")
        && is_x86_feature_detected!("lzcnt")
        && is_x86_feature_detected!("movbe");
    let Ok(program) = current_exe() else { return };
    let mut newer = program.into_os_string();
    newer.push("-x86-64-v3");
    let newer = PathBuf::from(newer);
    if !has_instructions || var_os("RUNNER_BASELINE").is_some() || !newer.is_file() {
        return;
    }
    let mut arguments = args_os();
    let name = arguments.next().unwrap_or_default();
    // `exec` returns only if it fails, and then this program does the work.
    let _ = Command::new(newer).arg0(name).args(arguments).exec();
}

#[cfg(not(all(unix, target_arch = "x86_64", not(target_feature = "avx2"))))]
pub fn use_newer_program() {}
