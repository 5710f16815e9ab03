"""Runs the packed program with time limits, and reads what it leaves."""

import glob
import json
import os
import shutil
import signal
import subprocess
import time


class Late(Exception):
    """A command that was ended because its time was over."""


class Failed(Exception):
    """A command that did not do what it should; one sentence."""


class Absent(Exception):
    """Something that this machine does not have; one sentence."""


class Machine:
    """The packed binaries, a scratch folder, and the time that is left."""

    def __init__(self, pack, device, seconds):
        self.pack, self.device = pack, device
        self.end = time.monotonic() + seconds
        self.scratch = os.path.join(pack, "scratch")
        shutil.rmtree(self.scratch, ignore_errors=True)
        os.makedirs(os.path.join(self.scratch, "tmp"))
        self.log = open(os.path.join(pack, "log"), "w")
        # Of the user's environment, only these variables are kept.
        kept = ["PATH", "LD_LIBRARY_PATH", "CUDA_HOME", "CUDA_PATH", "VIRTUAL_ENV",
                "CONDA_PREFIX", "CUDA_VISIBLE_DEVICES"]
        kept += [name for name in os.environ if name.startswith(("AUTOBENCH_", "SIMULATED_"))]
        self.environment = {name: os.environ[name] for name in kept if name in os.environ}
        self.environment.update(
            TMPDIR=os.path.join(self.scratch, "tmp"),
            XDG_CACHE_HOME=os.path.join(self.scratch, "cache"),
            XDG_STATE_HOME=os.path.join(self.scratch, "state"),
            AUTOBENCH_WORKER_EXE=self.path("autobench"),
            AUTOBENCH_TEST_DEVICE=device,
            AUTOBENCH=self.path("autobench"),
            PYTHONPATH=os.pathsep.join(filter(None, [os.path.abspath(os.path.join("python", "src")),
                                                     os.environ.get("PYTHONPATH")])),
            PYTHONDONTWRITEBYTECODE="1",
            TRITON_CACHE_DIR=os.path.join(self.scratch, "cache", "triton"),
            CUPY_CACHE_DIR=os.path.join(self.scratch, "cache", "cupy"),
            LC_ALL="C",
        )

    def path(self, name):
        return os.path.join(self.pack, name)

    @property
    def backend(self):
        return self.device.split(":")[0]

    def left(self):
        return self.end - time.monotonic()

    def command(self, arguments, limit):
        """Runs a command to its end. Returns exit code, standard output and standard error."""
        limit = min(limit, self.left())
        if limit < 1:
            raise Late("no time was left for it")
        self.log.write(f"\n$ {' '.join(arguments)}\n")
        self.log.flush()
        process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   stdin=subprocess.DEVNULL, env=self.environment, text=True,
                                   errors="replace", start_new_session=True)
        try:
            out, err = process.communicate(timeout=limit)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGTERM)
            try:
                out, err = process.communicate(timeout=5)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                out, err = process.communicate()
            self.log.write(out + err)
            raise Late(f"it did not end within {limit:.0f} s")
        self.log.write(out + err)
        self.log.flush()
        return process.returncode, out, err

    def autobench(self, arguments, limit):
        """Returns what the program prints as JSON."""
        code, out, err = self.command([self.path("autobench"), *arguments, "--json"], limit)
        if code != 0:
            said = [line for line in err.splitlines() if line.strip()]
            raise Failed(f"exit code {code}: {said[0] if said else 'nothing was said'}")
        return json.loads(out)

    def study(self, arguments, limit, out):
        """Runs a study on the device. Returns its result and its trials."""
        folder = os.path.join(self.scratch, "out", out)
        code, said = None, None
        try:
            result = self.autobench([*arguments, "--device", self.device, "--quiet", "--out",
                                     folder], limit)
        except Failed as fault:
            code, said, result = 1, fault, {}
        trials = []
        for journal in glob.glob(os.path.join(folder, "*", "journal.jsonl")):
            with open(journal) as lines:
                events = [json.loads(line) for line in lines]
            trials += [event for event in events if event["event"] == "trial"]
        if code and not trials:
            raise said
        return result, trials

    def events(self, out, kind):
        """Yields the events of one kind from the journals of the studies in a folder."""
        for journal in glob.glob(os.path.join(self.scratch, "out", out, "*", "journal.jsonl")):
            with open(journal) as lines:
                for event in map(json.loads, lines):
                    if event["event"] == kind:
                        yield event
