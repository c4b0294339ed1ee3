"""What every test run has in common: the Hypothesis profiles.

`ci` is the default: derandomised, so that a red run is red again for everybody, and without a deadline, since a
machine that is busy is not a fault of the code. `explore` draws new examples on every run, and more of them:

    OTTLA_HYPOTHESIS=explore .venv/bin/pytest tests/property

The order of tests is random in every run. pytest-randomly prints its seed first; `--randomly-seed=N` repeats it.
"""

import os

from hypothesis import settings

settings.register_profile("ci", derandomize=True, deadline=None, database=None, print_blob=True)
settings.register_profile("explore", deadline=None, max_examples=1_000, print_blob=True)
settings.load_profile(os.environ.get("OTTLA_HYPOTHESIS", "ci"))
