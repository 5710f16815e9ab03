"""Builds the program and the device tests, stripped, into one archive."""

import json
import os
import shutil
import subprocess
import tarfile

# Most bytes that may be sent to a machine.
MOST_BYTES = 64 << 20
ARCHIVE = "pack.tar.xz"
TESTS = ["devices"]


def build(folder, profile):
    subprocess.run(["cargo", "build", "--profile", profile], check=True)
    wanted = [part for name in TESTS for part in ("--test", name)]
    command = ["cargo", "test", "--profile", profile, "--no-run", "--message-format=json", *wanted]
    built = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    files = {}
    for line in built.splitlines():
        message = json.loads(line)
        name = message.get("target", {}).get("name")
        if message.get("executable") and name in TESTS:
            files[name] = message["executable"]
    target = os.environ.get("CARGO_TARGET_DIR", "target")
    built = os.path.join(target, "debug" if profile == "dev" else profile)
    files["autobench"] = os.path.join(built, "autobench")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    # git ignores all files of the folder, wherever the folder is.
    with open(os.path.join(folder, ".gitignore"), "w") as ignore:
        ignore.write("*\n")
    described = ["git", "describe", "--always", "--dirty"]
    with open(os.path.join(folder, "commit"), "w") as note:
        subprocess.run(described, check=True, stdout=note)
    for name, source in files.items():
        target = os.path.join(folder, name)
        shutil.copy(source, target)
        subprocess.run(["strip", "--strip-unneeded", target], check=True)
    archive = os.path.join(folder, ARCHIVE)
    with tarfile.open(archive, "w:xz", preset=3) as packed:
        for name in [*sorted(files), "commit"]:
            print(f"{os.path.getsize(os.path.join(folder, name)) / 2**20:7.2f} MiB  {name}")
            packed.add(os.path.join(folder, name), name)
            os.remove(os.path.join(folder, name))
    print(f"{os.path.getsize(archive) / 2**20:7.2f} MiB  {archive}")
    total = os.path.getsize(archive) + tracked_bytes()
    print(f"{total / 2**20:7.2f} MiB  with every tracked file of the repository")
    if total > MOST_BYTES:
        print(f"that is more than {MOST_BYTES >> 20} MiB, too much to send")
        return 1
    return 0


def unpack(folder):
    """Unpacks the archive, if there is one. Returns whether the folder then holds a pack."""
    if os.path.exists(os.path.join(folder, ARCHIVE)):
        with tarfile.open(os.path.join(folder, ARCHIVE)) as packed:
            packed.extractall(folder)
    return os.path.exists(os.path.join(folder, "autobench"))


def tracked_bytes():
    names = subprocess.run(["git", "ls-files", "-z"], check=True, stdout=subprocess.PIPE).stdout
    paths = [os.fsdecode(name) for name in names.split(b"\0") if name]
    return sum(os.path.getsize(path) for path in paths if os.path.isfile(path))
