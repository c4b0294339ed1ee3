"""`python -m tools.tidy [ROOT]`: print every complaint, and fail if there is one."""

import sys
from pathlib import Path

from tools.tidy.table import complaints

found = complaints(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
for complaint in found:
    print(complaint)
sys.exit(1 if found else 0)
