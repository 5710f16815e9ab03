"""The source of a kernel for ``tune_kernel``: its text and files, and which arguments it writes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

ASSIGNED = re.compile(r"\s*(?:=(?!=)|[-+*/%&|^]=|<<=|>>=|\+\+|--)")
"""What stands behind an element that is written."""

INCLUDED = re.compile(r'^[ \t]*#[ \t]*include[ \t]*[<"]([^>"\n]+)[>"]', re.MULTILINE)


Use = Literal["read", "written", "unknown"]
"""What a kernel does with an array: `unknown` if it may do both, such as in another function."""


@dataclass(frozen=True)
class Pointer:
    """An argument of a kernel, as its source declares and uses it."""

    name: str
    use: Use


@dataclass(frozen=True)
class KernelSource:
    """A kernel's text, and the files that it includes."""

    text: str
    files: dict[str, str]

    def arguments(self, kernel: str, count: int) -> list[Pointer]:
        """Returns the arguments of a kernel; of unknown use if its signature cannot be read."""
        everything = _without_comments("\n".join([self.text, *self.files.values()]))
        found = _signature(everything, kernel.split("<")[0].strip())
        inside, head = found or ("", "")
        rest = everything.replace(head, "")
        pointers = {}
        for text in _split(inside):
            _, *names = re.findall(r"[A-Za-z_]\w*", re.sub(r"\[[^]]*\]|=.*", "", text)) or [""]
            name = names[-1] if names else ""
            constant = re.search(r"\bconst\b", text.rpartition("*")[0]) is not None
            pointers[name] = Pointer(name, "read" if constant else _use(rest, name))
        if len(pointers) == count and "" not in pointers:
            return list(pointers.values())
        return [Pointer(f"argument{at}", "unknown") for at in range(count)]


def read_source(kernel_source: object) -> KernelSource:
    """Reads a text, a file, or a list of a text or file and further files.

    Files that these include are read, too, if they lie next to them.
    """
    first, *others = kernel_source if isinstance(kernel_source, (list, tuple)) else [kernel_source]
    path = _file(first)
    text = path.read_text() if path else str(first)
    files: dict[str, str] = {}
    for other in others:
        named = _file(other)
        if named is None:
            raise ValueError(f"the source `{other}` is no file; only the first may be a text")
        files[str(other)] = named.read_text()
    folder = path.parent if path else Path()
    texts = [(text, folder), *((files[name], (folder / name).parent) for name in files)]
    for inside, beside in texts:
        for name in includes(inside):
            if name not in files and (beside / name).is_file():
                files[name] = (beside / name).read_text()
                texts.append((files[name], (beside / name).parent))
    return KernelSource(text, files)


def includes(text: str) -> list[str]:
    """Returns the names of the files that a text includes."""
    return INCLUDED.findall(text)


def _file(source: object) -> Path | None:
    """The file that a source names; `None` if it is a text."""
    if isinstance(source, Path):
        return source
    text = str(source)
    if len(text) > 250 or any(c in text for c in "();{}\n\\"):
        return None
    if Path(text).is_file():
        return Path(text)
    if re.search(r"\.\w+$", text):
        raise FileNotFoundError(
            f"the kernel's file `{text}` is not here; give its path, or its text"
        )
    return None


def _without_comments(text: str) -> str:
    return re.sub(r"//[^\n]*|/\*.*?\*/", " ", text, flags=re.DOTALL)


def _signature(text: str, kernel: str) -> tuple[str, str] | None:
    """The arguments of a function's definition, and the whole of its head."""
    for found in re.finditer(rf"\b{re.escape(kernel)}\s*\(", text):
        end = _closing(text, found.end() - 1)
        if end is not None and text[end:].lstrip().startswith("{"):
            return text[found.end() : end - 1], text[found.start() : end]
    return None


def _closing(text: str, opening: int) -> int | None:
    """Where the bracket that opens at a place has closed."""
    depth = 0
    for at in range(opening, len(text)):
        if text[at] in "([{":
            depth += 1
        elif text[at] in ")]}":
            depth -= 1
            if depth == 0:
                return at + 1
    return None


def _split(arguments: str) -> list[str]:
    """Arguments apart; commas inside brackets of any kind do not part them."""
    parts, depth = [""], 0
    for character in arguments:
        depth += (character in "([{<") - (character in ")]}>")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts] if arguments.strip() else []


def _use(text: str, name: str) -> Use:
    """Returns what a text does with an array: `read` if every use of its name reads one element."""
    use: Use = "read"
    for found in re.finditer(rf"\b{re.escape(name)}\b", text):
        before, end = text[: found.start()].rstrip(), found.end()
        if before.endswith((".", "->")):
            continue
        is_element = False
        while text[end:].lstrip().startswith("["):
            closed = _closing(text, text.index("[", end))
            if closed is None:
                return "unknown"
            end, is_element = closed, True
        member = re.match(r"\s*\.\s*\w+", text[end:])
        end += member.end() if member else 0
        address = before.endswith("&") and not before.endswith("&&")
        if is_element and (ASSIGNED.match(text[end:]) or before.endswith(("++", "--"))):
            return "written"
        if not is_element or address:
            use = "unknown"
    return use
