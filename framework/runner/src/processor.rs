//! The choice of a program by the processor. An archive for x86-64 holds `runner` for every
//! processor and, beside it, `runner-x86-64-v3` for those with AVX2 and BMI2, and
//! `runner-x86-64-v4` for those with AVX-512.

/// Replaces this process with the newest program that lies beside this one and that the processor
/// can run. The variable `RUNNER_BASELINE` prevents it. Only the program for every processor looks.
#[cfg(all(unix, target_arch = "x86_64", not(target_feature = "avx2")))]
pub fn use_newer_program() {
    use std::env::{args_os, current_exe, var_os};
    use std::os::unix::process::CommandExt as _;
    use std::path::Path;
    use std::process::Command;

    let Ok(program) = current_exe() else { return };
    if var_os("RUNNER_BASELINE").is_some() {
        return;
    }
    macro_rules! has {
        ($($name:tt)*) => { $(std::arch::is_x86_feature_detected!($name))&&* };
    }
    // A processor with these also has all of x86-64-v2. A program for x86-64-v4 is built with all
    // features of x86-64-v3 too.
    let is_v3 = has!("avx2" "bmi1" "bmi2" "f16c" "fma" "lzcnt" "movbe");
    let is_v4 = is_v3 && has!("avx512f" "avx512bw" "avx512cd" "avx512dq" "avx512vl");
    let levels = [("x86-64-v4", is_v4), ("x86-64-v3", is_v3)];
    for (level, _) in levels.into_iter().filter(|(_, is_possible)| *is_possible) {
        let mut newer = program.clone().into_os_string();
        newer.push(format!("-{level}"));
        if Path::new(&newer).is_file() {
            let mut arguments = args_os();
            let name = arguments.next().unwrap_or_default();
            // `exec` returns only if it fails, and then an older program does the work.
            let _ = Command::new(newer).arg0(name).args(arguments).exec();
        }
    }
}

#[cfg(not(all(unix, target_arch = "x86_64", not(target_feature = "avx2"))))]
pub fn use_newer_program() {}
