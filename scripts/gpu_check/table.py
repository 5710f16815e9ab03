"""The report: a table of the stages, and what each of them measured."""

import datetime
import os
import re


class Report:
    """Rows of stages and, below them, sections of values."""

    def __init__(self):
        self.rows, self.sections, self.device = [], [], {}

    def row(self, stage, state, seconds, said):
        self.rows.append((stage, state, seconds, said))
        print(f"{stage:12} {state:8} {seconds:6.1f} s  {said}", flush=True)

    def section(self, title, header, rows):
        if rows:
            self.sections.append((title, header, rows))

    def failed(self):
        return [row for row in self.rows if row[1] in ("failed", "missing")]

    def write(self, pack, arguments):
        device = self.device
        name = device.get("name", arguments.device)
        path = arguments.out
        if not path:
            # Without a device, the report is not kept in the repository.
            folder = os.path.join("docs", "measurements") if device else pack
            path = os.path.join(folder, slug(name) + ".md")
        if os.path.dirname(path):
            os.makedirs(os.path.dirname(path), exist_ok=True)
        facts = device.get("facts", {})
        when = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC")
        lines = [f"# {name}", "",
                 f"Written by `scripts/gpu-check --device {arguments.device}` on {when}, at "
                 f"{commit(pack)}. All values are of this one machine and this one run.", ""]
        shown = [("compiler", device.get("compiler")),
                 ("memory", f"{device['memory'][0] / 2**30:.1f} GiB" if "memory" in device
                  else None)]
        shown += [(fact, facts.get(fact)) for fact in
                  ["compute_capability", "compiled_for", "driver", "cuda_of_driver",
                   "multiprocessors", "clock", "power_limit", "persistence_mode", "mig", "ecc",
                   "energy_source", "gate", "launch_overhead", "timer_overhead"]]
        known = [(fact, value) for fact, value in shown if value]
        lines += table(["", ""], known) + [""] if known else []
        lines += [f"- warning: {warning}" for warning in device.get("warnings", [])]
        lines += ["", "## Stages", ""]
        rows = [(stage, state, f"{seconds:.1f}", said)
                for stage, state, seconds, said in self.rows]
        lines += table(["stage", "state", "seconds", ""], rows)
        for title, header, rows in self.sections:
            lines += ["", f"## {title}", ""] + table(header, rows)
        with open(path, "w") as file:
            file.write("\n".join(lines) + "\n")
        return path


def table(header, rows):
    def line(cells):
        return "| " + " | ".join(str(cell).replace("|", "\\|") for cell in cells) + " |"
    return [line(header), "|" + "---|" * len(header)] + [line(row) for row in rows]


def slug(name):
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "device"


def commit(pack):
    """Returns the commit of the binaries, as `--build` noted it."""
    try:
        with open(os.path.join(pack, "commit")) as note:
            return "commit " + note.read().strip()
    except OSError:
        return "an unknown commit"
