"""`python -m ottla.cli` is the command `ottla`.

It is how a node in the background is started: by the interpreter that runs already, whatever the search path of the
shell says.
"""

import sys

from ottla.cli.main import main

sys.exit(main())
