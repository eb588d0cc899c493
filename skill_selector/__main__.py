"""`python -m skill_selector`, the same as `skill-selector`."""

import sys

from skill_selector.cli import main

sys.exit(main())
