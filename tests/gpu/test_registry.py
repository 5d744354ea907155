"""The list of checks, and what a check needs."""

import pytest

from . import child, registry


def test_every_module_of_checks_is_listed_and_has_some():
    assert set(registry.MODULES) == registry.modules_there()
    named = {name.partition(".")[0] for name in registry.all_checks()}
    assert named == set(registry.MODULES)


def test_what_must_hold_comes_before_what_is_measured():
    names = list(registry.all_checks())
    assert names[0].startswith("checks_survival.")
    assert names[-1].startswith("checks_others.")


def test_each_has_a_title_of_its_own_and_a_time_out():
    checks = registry.all_checks().values()
    assert len({check.title for check in checks}) == len(checks)
    assert all(10 <= check.timeout <= 150 for check in checks)
    assert all(check.run.__doc__ for check in checks)


@pytest.mark.parametrize(
    ("needs", "on_double", "reason"),
    [
        ((), True, ""),
        (("json",), True, ""),
        (("cupy",), True, "needs a card: the double computes nothing"),
        (("a_package_nobody_has",), False, "a_package_nobody_has is not installed"),
        (("json", "a_package_nobody_has"), True, "a_package_nobody_has is not installed"),
    ],
)
def test_why_a_check_cannot_be_made(needs, on_double, reason):
    assert child.absent(needs, on_double) == reason
