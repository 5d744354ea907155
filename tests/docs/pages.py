"""Take a page of Markdown apart into the examples that it shows."""

import doctest
import itertools
import os
import pathlib
import re
import subprocess
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

FENCE = re.compile(
    r"^(?P<indent> *)(?P<mark>`{3,})(?P<language>[\w{}-]*)[^\n]*\n"
    r"(?P<body>.*?)^(?P=indent)(?P=mark)$",
    re.M | re.S,
)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE
CHECKER = doctest.OutputChecker()
TIMEOUT = 60  # seconds


@dataclass(frozen=True)
class Block:
    """A fenced block of a page.

    Parameters
    ----------
    language : str
        What stands behind the fence.
    body : str
        The text between the fences, without their indentation.
    line : int
        Number of its first line in the page, from 1.
    """

    language: str
    body: str
    line: int

    @property
    def interactive(self) -> bool:
        """Whether it is a session with ``>>>``."""
        return self.language == "python" and self.body.lstrip().startswith(">>>")

    @property
    def program(self) -> bool:
        """Whether it is a whole program."""
        return self.language == "python" and not self.interactive


@dataclass(frozen=True)
class Program:
    """A program of a page, and what it prints.

    Parameters
    ----------
    source : str
    output : str or None
        What stands in the ``text`` block that follows; None if there is none.
    line : int
        Number of its first line in the page.
    """

    source: str
    output: str | None
    line: int

    @property
    def cuda(self) -> bool:
        """Whether it uses CUDA devices."""
        return re.search(r"""["']cuda""", self.source) is not None


def blocks(text: str) -> Iterator[Block]:
    """Yield the fenced blocks of a page; blocks within ``{directives}`` too."""
    for found in FENCE.finditer(text):
        indent, body = found["indent"], found["body"]
        lines = [line.removeprefix(indent) for line in body.splitlines(keepends=True)]
        first = text.count("\n", 0, found.start("body")) + 1
        if found["language"].startswith("{") and "`" * 3 in body:
            for inner in blocks("".join(lines)):
                yield Block(inner.language, inner.body, inner.line + first - 1)
        else:
            yield Block(found["language"], "".join(lines), first)


def session(page: pathlib.Path) -> doctest.DocTest | None:
    """Return the interactive examples of a page, as one session; None if it has none."""
    examples = []
    for block in blocks(page.read_text()):
        if block.interactive:
            for example in doctest.DocTestParser().get_examples(block.body):
                example.lineno += block.line - 1
                examples.append(example)
    if not examples:
        return None
    return doctest.DocTest(examples, {}, page.name, str(page), 0, None)


def programs(page: pathlib.Path) -> list[Program]:
    """Return the programs of a page, each with its output."""
    found = list(blocks(page.read_text()))
    result = []
    for block, after in itertools.zip_longest(found, found[1:]):
        if block.program:
            output = after.body if after is not None and after.language == "text" else None
            result.append(Program(block.body, output, block.line))
    return result


def check_session(test: doctest.DocTest) -> str:
    """Run interactive examples; return what is wrong, nothing if all is right."""
    report: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(test, out=report.append)
    return "".join(report)


def check_program(
    program: Program, folder: pathlib.Path, extra: Mapping[str, str] | None = None
) -> str:
    """Run a program in a folder, with `extra` in its environment; return what is wrong, or ""."""
    script = folder / "program.py"
    script.write_text(program.source)
    import sharedarray

    root = str(pathlib.Path(sharedarray.__file__).parents[1])
    path = os.pathsep.join(filter(None, [root, os.environ.get("PYTHONPATH")]))
    environment = {**os.environ, "PYTHONPATH": path, "SHAREDARRAY_MEMORY": "shared"}
    environment.update(extra or {})
    try:
        done = subprocess.run(
            [sys.executable, script.name],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired as late:
        return f"line {program.line}: no end after {TIMEOUT} s\n{(late.stderr or b'').decode()}"
    if done.returncode:
        return f"line {program.line}: exit status {done.returncode}\n{done.stderr}"
    if done.stderr:
        return f"line {program.line}: wrote to stderr:\n{done.stderr}"
    if program.output is not None and not CHECKER.check_output(program.output, done.stdout, FLAGS):
        return f"line {program.line}: expected\n{program.output}\ngot\n{done.stdout}"
    return ""
