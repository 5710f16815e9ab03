"""Stages that run studies: checks, tuning, bandwidth, energy, caches, knees."""

import re
import statistics

from .devices import needs_device
from .machine import Failed, Late

# Sizes of each kernel: for checks, for tuning, and for a run of about a millisecond.
GPU = {
    "vecadd": {"check": ["5003", "1000003", "256Mi"], "tune": "256Mi", "long": "1Gi"},
    "gemm": {"check": ["48", "1024", "8192"], "tune": "8192", "long": "16384"},
}
CPU = {
    "vecadd": {"check": ["1003", "50021", "200003"], "tune": "1Mi", "long": "4Mi"},
    "gemm": {"check": ["16", "48", "96"], "tune": "96", "long": "256"},
}
STAGES = ["compile", "fill", "verify", "measure", "overhead"]


def plan(machine):
    """Returns the kernels with their sizes, and whether the device is a CPU, where only the flow
    is tested."""
    on_cpu = machine.backend == "cpu"
    return (CPU if on_cpu else GPU), on_cpu


def tally(trials):
    counts = {}
    for trial in trials:
        status = trial["outcome"]["status"]
        counts[status] = counts.get(status, 0) + 1
    return counts


def checks(machine, report, limit):
    needs_device(report)
    kernels, on_cpu = plan(machine)
    count, rows, bad = (6 if on_cpu else 300), [], 0
    runs = sum(len(kernel["check"]) for kernel in kernels.values())
    for name, kernel in kernels.items():
        for size in kernel["check"]:
            try:
                _, trials = machine.study(
                    ["tune", name, "--size", size, "--strategy", "random", "--budget", str(count),
                     "--time", f"{limit / runs:.0f}", "--samples", "1", "--verify", "thorough"],
                    limit / runs * 1.5 + 10, f"check-{name}-{size}")
            except (Failed, Late) as fault:
                bad += 1
                rows.append((name, size, 0, "", "", str(fault)))
                continue
            searched = [trial for trial in trials if trial["phase"] == "search"]
            counts = tally(searched)
            # A configuration that the device cannot run is no fault of the kernel.
            faults = [trial for trial in searched
                      if trial["outcome"]["status"] not in ("measured", "invalid")]
            bad += len(faults)
            errors = [trial["outcome"]["measurement"].get("error") or 0.0 for trial in searched
                      if trial["outcome"].get("measurement")]
            rows.append((name, size, len(searched),
                         ", ".join(f"{n} {status}" for status, n in sorted(counts.items())),
                         f"{max(errors):.1e}" if errors else "",
                         faults[0]["outcome"]["reason"] if faults else ""))
    report.section("Every kernel checked", ["kernel", "size", "configurations", "outcomes",
                                            "largest error", "first fault"], rows)
    if bad:
        raise Failed(f"{bad} of them failed")
    return "done", f"{sum(row[2] for row in rows)} configurations, all right or invalid"


def tuning(machine, report, limit):
    needs_device(report)
    kernels, on_cpu = plan(machine)
    rows, bests = [], []
    for name, kernel in kernels.items():
        result, trials = machine.study(
            ["tune", name, "--size", kernel["tune"], "--budget", "8" if on_cpu else "250",
             "--time", f"{limit / len(kernels) * 0.8:.0f}"],
            limit / len(kernels) + 15, f"tune-{name}")
        searched = [trial for trial in trials if trial["phase"] == "search"]
        costs = {stage: sum(trial["outcome"]["costs"][stage] for trial in searched)
                 for stage in STAGES}
        total, count = sum(costs.values()) or 1.0, len(searched) or 1
        rows.append((name, kernel["tune"], len(searched), f"{1e3 * total / count:.1f}",
                     *(f"{1e3 * costs[stage] / count:.1f} ({costs[stage] / total:.0%})"
                       for stage in STAGES)))
        best = result.get("workload", {}).get("best")
        if best:
            configuration = ", ".join(f"{k} {v}" for k, v in best["configuration"].items())
            gain = result["workload"].get("gain") or 1.0
            bests.append((name, kernel["tune"], f"{best['seconds']['median'] * 1e6:.1f} µs",
                          f"{best['metric']['value']:.1f}" if best.get("metric") else "",
                          f"{gain:.2f}", configuration))
    report.section("Time of each stage, ms a configuration",
                   ["kernel", "size", "evaluations", "all", *STAGES], rows)
    report.section("Best configurations", ["kernel", "size", "time", "metric", "times the default",
                                           "configuration"], bests)
    if len(bests) < len(kernels):
        raise Failed("a kernel has no best configuration")
    return "done", "; ".join(f"{row[0]}: {row[3]} ms a configuration" for row in rows)


def bandwidth(machine, report, limit):
    """Compares vecadd at its plateau with a copy, measured right before and right after."""
    needs_device(report)
    kernels, on_cpu = plan(machine)

    def copied():
        backends = machine.autobench(["devices", "--measure", machine.device, "--seconds", "1"],
                                     limit / 3)
        ordinal = int((machine.device.split(":") + ["0"])[1])
        fact = dict(backends)[machine.backend]["Ok"][ordinal]["facts"]["copy_bandwidth"]
        found = re.match(r"([0-9.]+) GB/s", fact)
        if not found:
            raise Failed(f"a copy was {fact}")
        return float(found.group(1))

    before = copied()
    result, _ = machine.study(
        ["tune", "vecadd", "--size", kernels["vecadd"]["long"], "--budget",
         "4" if on_cpu else "68", "--time", f"{limit / 2:.0f}"], limit, "bandwidth")
    reached, after = result["workload"]["best"]["metric"]["value"], copied()
    share = reached / statistics.mean([before, after])
    report.section("Bandwidth, GB/s read and written",
                   ["vecadd", "copy before", "copy after", "share"],
                   [(f"{reached:.0f}", f"{before:.0f}", f"{after:.0f}", f"{share:.1%}")])
    said = f"vecadd reaches {share:.1%} of a copy's {statistics.mean([before, after]):.0f} GB/s"
    if share < 0.92 and not on_cpu:
        raise Failed(f"{said}, which should be 92 %")
    return "done", said


def energy(machine, report, limit):
    """Measures the energy of one configuration of a long kernel, several times."""
    needs_device(report)
    kernels, on_cpu = plan(machine)
    joules, sampled = [], []
    for number in range(2 if on_cpu else 6):
        _, trials = machine.study(
            ["tune", "gemm", "--size", kernels["gemm"]["long"], "--budget", "1", "--param",
             "work_x=2", "--param", "work_y=4", "--param", "tile_k=16", "--param",
             "block_size_x=16", "--param", "block_size_y=16", "--observe", "energy",
             "--seed", str(number)], max(limit / 5, 30), f"energy-{number}")
        metrics = [trial["outcome"]["measurement"]["metrics"] for trial in trials
                   if trial["phase"] == "search" and trial["outcome"].get("measurement")]
        joules += [m["energy"] for m in metrics if "energy" in m]
        if not joules:
            return "skipped", "the device has no sensor of energy or power"
        sampled += [m["energy_sampled"] for m in metrics if "energy_sampled" in m]
    spread = (max(joules) - min(joules)) / statistics.mean(joules)
    off = abs(statistics.mean(sampled) / statistics.mean(joules) - 1) if sampled else None
    report.section("Energy of one gemm kernel, J a run",
                   ["runs", "least", "mean", "most", "spread", "by sampled power"],
                   [(len(joules), f"{min(joules):.4f}", f"{statistics.mean(joules):.4f}",
                     f"{max(joules):.4f}", f"{spread:.1%}",
                     f"{statistics.mean(sampled):.4f}" if sampled else "the only source")])
    said = f"{len(joules)} runs differ by {spread:.1%}"
    said += f"; the samples' sum is {off:.1%} off the counter" if sampled else ""
    if spread > 0.05:
        raise Failed(f"{said}: 5 % were allowed")
    return "done", said


def caches(machine, report, limit):
    """Checks that cold samples are cold, by what a study measured when it opened the device."""
    needs_device(report)
    machine.study(["tune", "vecadd", "--size", "1Mi", "--budget", "2", "--time", "10"], limit,
                  "caches")
    started = next(machine.events("caches", "started"), {})
    record = started.get("caches") or {}
    rates = ["hot", "cold", "flushed", "memory"]
    rows = [(f"{proof['share']:.0%}", *(f"{proof[rate] / 1e9:.1f}" for rate in rates))
            for proof in record.get("proof", [])]
    if not rows:
        raise Failed("no study checked whether cold samples are cold")
    report.section(f"Reads of a part of the last cache ({record['last_cache'] / 2**20:.0f} MiB), GB/s",
                   ["part", "hot", f"cold by {record['by']}", "flushed", "memory"], rows)
    said = f"cold by {record['by']} over {record['bytes'] / 2**20:.0f} MiB"
    for proof in record["proof"]:
        if proof["cold"] > 1.15 * proof["memory"]:
            raise Failed(f"{said}, and yet read at {proof['cold'] / 1e9:.0f} GB/s where memory gives "
                         f"{proof['memory'] / 1e9:.0f}")
    doubts = [warning for warning in started.get("warnings", []) if "cache" in warning]
    return "done", "; ".join([said, *doubts])


def in_kernels(machine, out):
    """Returns the share of the rounds' measuring time that was spent inside kernels."""
    costs = [event["costs"] for event in machine.events(out, "rounds")]
    measured = sum(cost["measure"] for cost in costs)
    return sum(cost["kernel"] for cost in costs) / measured if measured else None


def knees(machine, report, limit):
    """Runs saturation studies with both detectors, twice, as a user would."""
    needs_device(report)
    kernels, on_cpu = plan(machine)
    times, rows, said, moved, shares = (1 if on_cpu else 2), [], [], [], []
    for name in kernels:
        # Sizes grow by a factor of 1.5. Settled knees may differ by one step for vecadd, and not at
        # all for gemm.
        seen, settled, step = [], [], (1.55 if name == "vecadd" else 1.0)
        for number in range(times):
            share = limit / times / len(kernels)
            few = ["--budget", "2", "--factor", "3", "--largest",
                   "200k" if name == "vecadd" else "96"]
            result, _ = machine.study(
                ["run", name, "--detector", "kneedle,triangle", "--time", f"{max(share - 3, 4):.0f}",
                 "--seed", str(number), *(few if on_cpu else [])], share + 20,
                f"knee-{name}-{number}")
            found = {finding["detector"]: finding for finding in result.get("findings", [])}
            kneedle = found.get("kneedle", {})
            inside = in_kernels(machine, f"knee-{name}-{number}")
            shares += [inside] if inside else []
            best = result["workload"]["best"]
            rows.append((name, number, result["sizes"], result["workload"]["size"],
                         f"{best['metric']['value']:.1f}" if best and best.get("metric") else "",
                         *(found.get(d, {}).get("knee") or "" for d in ("kneedle", "triangle")),
                         kneedle.get("confidence", ""), "; ".join(kneedle.get("against", [])),
                         f"{inside:.0%}" if inside else ""))
            said.append(f"{name}: {kneedle.get('knee')} {kneedle.get('confidence', '')}")
            seen += [kneedle["knee"]] if kneedle.get("knee") else []
            settled += [kneedle["knee"]] if kneedle.get("confidence") == "settled" else []
        if not seen:
            moved.append(f"{name} (none)")
        elif settled and max(settled) > min(settled) * step:
            moved.append(name)
    report.section("Saturation", ["kernel", "run", "sizes", "workload", "metric there", "kneedle",
                                  "triangle", "confidence", "against it", "in kernels"], rows)
    if shares:
        said.append(f"{statistics.median(shares):.0%} of the rounds inside kernels")
    if moved and not on_cpu:
        raise Failed(f"there is no knee, or settled ones differ: {', '.join(moved)}; " + "; ".join(said))
    return "done", "; ".join(said)
