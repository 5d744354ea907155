"""Every example of the README and of the pages runs and prints what the page says."""

import pathlib
import re

import pytest

import sharedarray as xp
from tests.cuda_double import beside_real_driver, environment

from . import pages

ROOT = pathlib.Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
PROGRAMS = [(page, program) for page in PAGES for program in pages.programs(page)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_session(page):
    xp.collect()  # what other tests sent counts in the figures of the page
    test = pages.session(page)
    if test is None:
        assert ">>>" not in page.read_text()
    else:
        assert not (wrong := pages.check_session(test)), wrong


@pytest.mark.parametrize(
    ("page", "program"), PROGRAMS, ids=[f"{page.name}:{program.line}" for page, program in PROGRAMS]
)
def test_program(page, program, tmp_path):
    if program.cuda and beside_real_driver():
        pytest.skip("the driver double refuses to load beside a real driver")
    extra = environment(devices=2) if program.cuda else {}
    assert not (wrong := pages.check_program(program, tmp_path, extra)), wrong


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_files(page):
    text = pages.FENCE.sub("", page.read_text())
    for target in re.findall(r"\]\((?!https?:|#|mailto:)([^)#\s]+)", text):
        assert (page.parent / target).exists(), f"{page.name} links to {target}"


def test_the_box_stands_early_in_readme_and_numpy_page():
    for name in ("README.md", "docs/coming-from-numpy.md"):
        text = (ROOT / name).read_text()
        head = text[: len(text) // 3]
        assert "SHAREDARRAY_MEMORY=private" in head, name
        assert 'xp.memory("private")' in head, name


class TestChecker:
    """The checks find what they are for."""

    def page(self, folder, text):
        page = folder / "page.md"
        page.write_text(text)
        return page

    def test_wrong_answer_in_a_session(self, tmp_path):
        page = self.page(tmp_path, "A\n\n```python\n>>> 1 + 1\n3\n```\n")
        assert "Expected:\n    3\nGot:\n    2" in pages.check_session(pages.session(page))

    def test_right_session_over_several_blocks(self, tmp_path):
        page = self.page(tmp_path, "```python\n>>> a = 1\n```\n\n```python\n>>> a\n1\n```\n")
        assert pages.check_session(pages.session(page)) == ""

    def test_line_numbers(self, tmp_path):
        page = self.page(tmp_path, "A\n\n```python\n>>> 1\n1\n```\n\n```python\nprint(1)\n```\n")
        assert pages.session(page).examples[0].lineno == 3
        assert pages.programs(page)[0].line == 9

    @pytest.mark.parametrize(
        ("source", "reason"),
        [
            ("print(2)", "expected"),
            ("raise SystemExit(3)", "exit status 3"),
            ("import sys\nprint(1)\nprint('warning', file=sys.stderr)", "wrote to stderr"),
        ],
    )
    def test_wrong_program(self, tmp_path, source, reason):
        page = self.page(tmp_path, f"```python\n{source}\n```\n\n```text\n1\n```\n")
        (program,) = pages.programs(page)
        assert reason in pages.check_program(program, tmp_path)

    def test_programs_that_use_cuda_are_told_by_what_they_name(self, tmp_path):
        page = self.page(tmp_path, "```python\nx = 'cuda:1'\n```\n\n```python\ncuda = 1\n```\n")
        assert [program.cuda for program in pages.programs(page)] == [True, False]

    def test_right_program(self, tmp_path):
        page = self.page(tmp_path, "```python\nprint(1)\n```\n\n```text\n1\n```\n")
        (program,) = pages.programs(page)
        assert pages.check_program(program, tmp_path) == ""

    def test_blocks_within_a_directive(self, tmp_path):
        inner = "```python\n>>> 1\n2\n```\n"
        page = self.page(tmp_path, f"````{{important}}\nText.\n\n{inner}````\n")
        assert "Got:\n    1" in pages.check_session(pages.session(page))


def test_the_diagram_is_what_its_script_draws():
    path = ROOT / "docs" / "diagram.py"
    names = {"__file__": str(path), "__name__": "diagram"}
    exec(compile(path.read_text(), path, "exec"), names)
    assert names["TARGET"].read_text() == names["draw"]()
