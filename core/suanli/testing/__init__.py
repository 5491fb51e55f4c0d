"""The conformance suite: what a plugin's data must hold, for the built-in plugins and for a stranger's alike.

In a plugin's own tests:

    from suanli.testing import conformance_checks

    @pytest.mark.parametrize("check", conformance_checks("acme"), ids=str)
    def test_conformance(check):
        check()
"""

from suanli.testing.conformance import BoundCheck, Outcome, conformance_checks, run_checks

__all__ = ["BoundCheck", "Outcome", "conformance_checks", "run_checks"]
