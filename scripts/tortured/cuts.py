"""Power cuts: a study's changes of files are recorded, and what a disk may hold at a moment is laid out
anew. What was not synced is lost, whole or in part; then the study is resumed."""

import os
import shutil

from . import harms, running


class Disk:
    """What a disk holds for sure, and what it may have got besides."""

    def __init__(self, root):
        self.root = root
        self.bytes, self.names = {}, {}
        self.pending = {}
        # Numbers of files are used again; so many times each was.
        self.uses = {}

    def of(self, inode):
        """A file or folder of its own for each use of a number."""
        return f"{inode}.{self.uses.get(inode, 0)}"

    def apply(self, words):
        """Takes a change; a sync makes those of one file or folder sure."""
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
        """The disk after a cut: of what is pending, nothing, or by chance the first part."""
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
        """The files of a name that can be reached from the root."""
        found = []
        for name, (entry, kind) in self.names.get(inode or self.of(self.root), {}).items():
            if kind == "folder":
                found += self.reachable(wanted, entry)
            elif name == wanted:
                found.append(entry)
        return found

    def anywhere(self, wanted):
        """All files of a name, those too that a cut would lose."""
        listings = [*self.names.values()]
        listings += [change[2] for changes in self.pending.values() for change in changes
                     if change[0] == "names"]
        return {entry for names in listings for name, (entry, _) in names.items() if name == wanted}

    def lay_out(self, path, inode=None):
        """Writes it."""
        os.makedirs(path, exist_ok=True)
        for name, (entry, kind) in self.names.get(inode or self.of(self.root), {}).items():
            if kind == "folder":
                self.lay_out(os.path.join(path, name), entry)
            else:
                with open(os.path.join(path, name), "wb") as file:
                    file.write(self.bytes.get(entry, b""))


class Cuts:
    """A study whose changes are recorded, and cut."""

    def __init__(self, chance, given, library, folder):
        self.chance, self.library, self.folder = chance, library, folder
        self.program, self.patience = given.program, given.patience
        self.does = chance.sample(harms.HARMLESS, 3) + chance.sample([2, 5, 17, 20], 1)
        self.made = 0
        self.story = []

    def run(self, most):
        """Records one study and resumes it from as many cuts as asked; what was wrong."""
        place, log = os.path.join(self.folder, "disk"), os.path.join(self.folder, "log")
        os.mkdir(place)
        root = str(os.stat(place).st_ino)
        harms.write(place, self.does)
        # What was there before is sure.
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
                wrong += [f"cut behind change {cut + 1} of {len(changes)}"
                          f"{' with a part of what was not synced' if chance else ''}: {one}"
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
        # What a journal holds for sure can be reached for sure.
        lost = before.anywhere("journal.jsonl") - set(survives.reachable("journal.jsonl"))
        if any(b'"trial"' in before.bytes.get(journal, b"") for journal in lost):
            return ["the journal was synced, its folders were not"]
        process = running.spawn(self.program, place, running.next_words(place, first))
        said, _ = process.communicate(timeout=400)
        if process.returncode:
            return [f"exit code {process.returncode}: {said.strip()[-300:]}"]
        return running.faults(place, self.does)
