"""The build of the wheel: maturin's, for every processor of its architecture.

The repository builds for the processor that it is built on (`.cargo/config.toml`). An environment
variable with the compiler's flags, empty ones too, replaces those of the configuration. On x86-64 the
wheel has a second library, for processors with AVX2 and BMI2, which `runner/_load.py` chooses where it
can. `RUNNER_WHEEL=baseline` leaves it out. Messages of the libraries name no folder of the machine.
"""

import json
import os
import platform
import shutil
import subprocess
from pathlib import Path

import maturin
from maturin import (  # noqa: F401
    build_editable as _build_editable,
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

HERE = Path(__file__).resolve().parent
SECOND = HERE / "python/runner/_native_v3.so"


def _flags(*flags: str) -> str:
    cargo = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    command = ["rustc", "--print", "sysroot"]
    rust = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    folders = {cargo: "/cargo", rust: "/rust", HERE.parent.parent: "/runner"}
    # Of several that match, the compiler uses the last.
    folders |= dict.fromkeys(cargo.glob("registry/src/*"), "/cargo/registry")
    replaced = (f"--remap-path-prefix={folder}={name}" for folder, name in folders.items())
    return "\x1f".join([*flags, *replaced])


def _build_second() -> None:
    SECOND.unlink(missing_ok=True)
    is_x86 = platform.machine() in ("x86_64", "AMD64")
    if not is_x86 or platform.system() != "Linux" or os.environ.get("RUNNER_WHEEL") == "baseline":
        return
    host = "x86_64-unknown-linux-gnu"
    command = ["cargo", "build", "--release", "--locked", "--target", host]
    command += ["--message-format", "json-render-diagnostics"]
    flags = {"CARGO_ENCODED_RUSTFLAGS": _flags("-Ctarget-cpu=x86-64-v3")}
    built = subprocess.run(
        command, cwd=HERE, env=os.environ | flags, check=True, stdout=subprocess.PIPE
    )
    for line in built.stdout.splitlines():
        message = json.loads(line)
        if message.get("reason") == "compiler-artifact":
            if message["target"]["name"] == "_native":
                shutil.copy(message["filenames"][0], SECOND)


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    _build_second()
    os.environ["CARGO_ENCODED_RUSTFLAGS"] = _flags()
    try:
        return maturin.build_wheel(wheel_directory, config_settings, metadata_directory)
    finally:
        SECOND.unlink(missing_ok=True)


def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    os.environ["CARGO_ENCODED_RUSTFLAGS"] = _flags()
    return _build_editable(wheel_directory, config_settings, metadata_directory)
