# Functions for the scripts in this folder, which source this file: `step` runs a
# command, and on exit a table lists the time of each step.

steps=()

# step NAME COMMAND...: runs a command and records its wall time and CPU time. The CPU
# time is what to compare between machines that other programs use too.
step() {
    local name=$1 start=$SECONDS status=0 cpu
    shift
    printf '\n== %s: %s\n' "$name" "$*"
    cpu_seconds
    cpu=$REPLY
    "$@" || status=$?
    cpu_seconds
    steps+=("$(printf '%6d %6d  %s' $((SECONDS - start)) $((REPLY - cpu)) "$name")")
    return "$status"
}

# Sets REPLY to the CPU seconds of all finished child processes. `times` must run in this
# shell, because a subshell has no finished children.
cpu_seconds() {
    times >"$times_file"
    REPLY=$(awk 'NR == 2 {
        split($1, user, /[ms]/); split($2, sys, /[ms]/)
        printf "%d", 60 * (user[1] + sys[1]) + user[2] + sys[2]
    }' "$times_file")
}
times_file=$(mktemp)

# Prints the table of steps.
summary() {
    local status=$?
    rm -f "$times_file"
    printf '\n  wall    cpu  step (seconds)\n'
    [ ${#steps[@]} -eq 0 ] || printf '%s\n' "${steps[@]}"
    printf '%6d         all\n' "$SECONDS"
    [ "$status" -eq 0 ] || printf 'failed\n'
}
trap summary EXIT

# fetch_component NAME PROBE...: installs a component of the toolchain unless the probe
# succeeds.
fetch_component() {
    local name=$1
    shift
    "$@" >/dev/null 2>&1 || rustup component add "$name"
}
