"""Power cuts: the file changes of a study are recorded, and what a disk may hold after a cut is
rebuilt. Changes that were not synced are lost, wholly or in part; then the study is resumed.
"""

import os
import shutil

from . import harms, running


class Disk:
    """What a disk certainly holds, and the pending changes that may have reached it."""

    def __init__(self, root):
        self.root = root
        self.bytes, self.names = {}, {}
        self.pending = {}
        # Inode numbers are reused: how often each one was.
        self.uses = {}

    def of(self, inode):
        """Returns a name for the current use of an inode number."""
        return f"{inode}.{self.uses.get(inode, 0)}"

    def apply(self, words):
        """Applies a recorded change. A sync makes the pending changes of one file or folder
        certain."""
        what, inode, *rest = words
        if what == "fresh":
            self.uses[inode] = self.uses.get(inode, 0) + 1
        elif what == "sync":
            for change in self.pending.pop(self.of(inode), []):
                self.keep(change)
        else:
            if what == "names":
                entries = [entry.rsplit(":", 2) for entry in rest]
                rest = [{name: (self.of(number), kind) for name, number, kind in entries}]
            self.pending.setdefault(self.of(inode), []).append((what, self.of(inode), *rest))

    def keep(self, change):
        what, inode, *rest = change
        old = self.bytes.get(inode, b"")
        if what == "names":
            self.names[inode] = rest[0]
        elif what == "length":
            self.bytes[inode] = old[:int(rest[0])].ljust(int(rest[0]), b"\0")
        elif what == "write":
            at, data = int(rest[0]), bytes.fromhex(rest[1])
            self.bytes[inode] = old[:at].ljust(at, b"\0") + data + old[at + len(data):]

    def survives(self, chance):
        """Returns the disk after a cut. Pending changes are lost, or with `chance` a random
        first part of each file's changes survives."""
        after = Disk(self.root)
        after.bytes, after.names, after.uses = dict(self.bytes), dict(self.names), {}
        for changes in self.pending.values() if chance else ():
            reached = changes[:chance.randint(0, len(changes))]
            for change in reached:
                after.keep(change)
            # The last write may be torn.
            if reached and reached[-1][0] == "write" and chance.random() < 0.3:
                _, inode, offset, _ = reached[-1]
                whole = after.bytes[inode]
                after.bytes[inode] = whole[:chance.randint(int(offset), len(whole))]
        return after

    def reachable(self, wanted, inode=None):
        """Returns the files of a name that can be reached from the root."""
        found = []
        for name, (entry, kind) in self.names.get(inode or self.of(self.root), {}).items():
            if kind == "folder":
                found += self.reachable(wanted, entry)
            elif name == wanted:
                found.append(entry)
        return found

    def anywhere(self, wanted):
        """Returns all files of a name, including those that a cut would lose."""
        listings = [*self.names.values()]
        listings += [change[2] for changes in self.pending.values() for change in changes
                     if change[0] == "names"]
        return {entry for names in listings for name, (entry, _) in names.items() if name == wanted}

    def lay_out(self, path, inode=None):
        """Writes the disk's files to a folder."""
        os.makedirs(path, exist_ok=True)
        for name, (entry, kind) in self.names.get(inode or self.of(self.root), {}).items():
            if kind == "folder":
                self.lay_out(os.path.join(path, name), entry)
            else:
                with open(os.path.join(path, name), "wb") as file:
                    file.write(self.bytes.get(entry, b""))


class Cuts:
    """A study whose file changes are recorded, and which is resumed after power cuts."""

    def __init__(self, chance, given, library, folder):
        self.chance, self.library, self.folder = chance, library, folder
        self.program, self.patience = given.program, given.patience
        self.does = chance.sample(harms.HARMLESS, 3) + chance.sample([2, 5, 17, 20], 1)
        self.made = 0
        self.story = []

    def run(self, most):
        """Records one study and resumes it after `most` cuts at most. Returns the faults."""
        place, log = os.path.join(self.folder, "disk"), os.path.join(self.folder, "log")
        os.mkdir(place)
        root = str(os.stat(place).st_ino)
        harms.write(place, self.does)
        # Files from before the recording are certainly on the disk.
        first = running.begin(self.chance.randrange(1000), self.patience)
        process = running.spawn(self.program, place, first, LD_PRELOAD=self.library,
                                TORTURE_RECORD=f"{place}:{log}")
        said, _ = process.communicate(timeout=400)
        if process.returncode:
            return [f"exit code {process.returncode}: {said.strip()[-300:]}"]
        wrong = running.faults(place, self.does)
        with open(log) as file:
            changes = [line.split() for line in file]
        cuts = sorted(self.chance.sample(range(len(changes)), min(most, len(changes))))
        disk, taken = Disk(root), 0
        for cut in cuts:
            for words in changes[taken:cut + 1]:
                disk.apply(words)
            taken = cut + 1
            for chance in (None, self.chance):
                wrong += [f"cut after change {cut + 1} of {len(changes)}"
                          f"{' with a part of the unsynced changes' if chance else ''}: {one}"
                          for one in self.resumed(disk.survives(chance), disk, first)]
                if wrong:
                    return wrong
        return wrong

    def resumed(self, survives, before, first):
        place = os.path.join(self.folder, "after")
        shutil.rmtree(place, ignore_errors=True)
        survives.lay_out(place)
        harms.write(place, self.does)
        self.made += 1
        # A journal with synced trials must be reachable after a cut.
        lost = before.anywhere("journal.jsonl") - set(survives.reachable("journal.jsonl"))
        if any(b'"trial"' in before.bytes.get(journal, b"") for journal in lost):
            return ["the journal was synced, its folders were not"]
        process = running.spawn(self.program, place, running.next_words(place, first))
        said, _ = process.communicate(timeout=400)
        if process.returncode:
            return [f"exit code {process.returncode}: {said.strip()[-300:]}"]
        return running.faults(place, self.does)
