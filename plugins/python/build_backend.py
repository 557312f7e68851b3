"""The build of the wheel: maturin's.

`pip install` builds for the processor of this machine, as `cargo build` does (`.cargo/config.toml`).
`RUNNER_WHEEL=published` builds a wheel for others: on x86-64 for processors with AVX2 and BMI2, and
its messages name no folder of the machine.

The libraries of the plugins are built with other features here than for the program, so they have a target
folder of their own: a program that `cargo build` made keeps those that it loads.
"""

import json
import os
import platform
import subprocess
from pathlib import Path

import maturin
from maturin import (  # noqa: F401
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

HERE = Path(__file__).resolve().parent


def _published_flags() -> str:
    cargo = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    command = ["rustc", "--print", "sysroot"]
    rust = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    folders = {cargo: "/cargo", rust: "/rust", HERE.parent.parent: "/runner"}
    # Of several that match, the compiler uses the last.
    folders |= dict.fromkeys(cargo.glob("registry/src/*"), "/cargo/registry")
    flags = [f"--remap-path-prefix={folder}={name}" for folder, name in folders.items()]
    if platform.machine() in ("x86_64", "AMD64"):
        flags.append("-Ctarget-cpu=x86-64-v3")
    return "\x1f".join(flags)


def _set_target_folder() -> None:
    """Sets a folder within that of the workspace, whichever cargo is told to use for it."""
    command = ["cargo", "metadata", "--no-deps", "--format-version=1"]
    metadata = subprocess.run(command, cwd=HERE, check=True, stdout=subprocess.PIPE).stdout
    target = Path(json.loads(metadata)["target_directory"])
    os.environ["CARGO_TARGET_DIR"] = str(target / "python-wheel")


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    _set_target_folder()
    if os.environ.get("RUNNER_WHEEL") == "published":
        # Flags in the environment replace those of `.cargo/config.toml`.
        os.environ["CARGO_ENCODED_RUSTFLAGS"] = _published_flags()
    return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    _set_target_folder()
    return maturin.build_editable(wheel_directory, config_settings, metadata_directory)
