"""A study of a random mixture of configurations, under kills, limits and failing system calls."""

import os
import signal
import subprocess
import time

from . import harms, running

# Kinds of calls that fail, and the processes where they do; then how many calls in a row fail.
FAILING = {
    "space": ("program", "worker", "compiler"),
    "io": ("program", "worker", "compiler"),
    "files": ("program", "worker", "compiler"),
    "memory": ("program", "worker"),
    "processes": ("program", "worker", "compiler"),
    "interrupted": ("program", "worker"),
    "short": ("program", "worker"),
}
TIMES = (1, 3, 1000000)
# Signals for random processes of the tree. A stopped process continues after STOPPED seconds.
SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL, signal.SIGSTOP)
STOPPED = 1.5
DOCUMENTED = (0, 1, 4, 130, -signal.SIGKILL)
CALM_FROM = 4
ATTEMPTS = 12


class Study:
    """One benchmark with known outcomes, in a folder of its own."""

    def __init__(self, chance, given, library, folder, does=None):
        self.chance, self.library, self.folder = chance, library, folder
        self.program, self.patience = given.program, given.patience
        harmful = chance.sample(sorted(harms.ALL), chance.randint(2, 7))
        harmless = chance.sample(harms.HARMLESS, chance.randint(3, 8))
        mixed = harmful + harmless[1:]
        chance.shuffle(mixed)
        self.does = does or [harmless[0], *mixed]
        self.signals = self.calls = 0
        self.story = []
        harms.write(folder, self.does)

    def run(self):
        """Runs the study under disturbances. Returns the faults, one phrase each."""
        first = running.begin(self.chance.randrange(1000), self.patience)
        words = first
        for attempt in range(ATTEMPTS):
            calm = attempt >= CALM_FROM
            harm = "none" if calm else self.chance.choice(
                ["none", "kill", "signals", "files", "calls", "calls", "calls"])
            process = self.start(words, harm)
            if harm == "kill":
                time.sleep(self.chance.uniform(0.05, 4))
                self.send(process.pid, signal.SIGKILL)
            for _ in range(self.chance.randint(1, 4) if harm == "signals" else 0):
                time.sleep(self.chance.uniform(0.05, 2))
                tree = [process.pid, *running.tree(process.pid)]
                self.send(self.chance.choice(tree), self.chance.choice(SIGNALS))
            try:
                said, _ = process.communicate(timeout=400)
            except subprocess.TimeoutExpired:
                process.kill()
                return ["it did not end within 400 s"]
            code, said = process.returncode, said.strip()[-300:]
            self.story[-1] += f": exit code {code}: {said}"
            if code not in DOCUMENTED:
                return [f"exit code {code}: {said}"]
            if code == 0:
                return running.faults(self.folder, self.does)
            if code != 130 and code > 0 and not said:
                return [f"exit code {code} without a message"]
            if calm:
                return [f"a fault without any disturbance: {said}"]
            words = running.next_words(self.folder, first)
        return ["it never ended"]

    def start(self, words, harm):
        variables = {}
        if harm == "calls":
            kind = self.chance.choice(sorted(FAILING))
            where = self.chance.choice(FAILING[kind])
            after = int(self.chance.choice([10, 60, 400]) * self.chance.random())
            fail = f"{kind}:{after}:{self.chance.choice(TIMES)}:{where}"
            variables = {"LD_PRELOAD": self.library, "TORTURE_FAIL": fail}
            harm, self.calls = fail, self.calls + 1
        self.story.append(f"{' '.join(words[:2])} under {harm}")
        limit = "-n 24" if harm == "files" else None
        return running.spawn(self.program, self.folder, words, limit, **variables)

    def send(self, victim, what):
        try:
            os.kill(victim, what)
            self.signals += 1
            self.story[-1] += f", {what.name} to {victim}"
            if what == signal.SIGSTOP:
                time.sleep(STOPPED)
                os.kill(victim, signal.SIGCONT)
        except ProcessLookupError:
            pass
