"""`python -m symvi.cli COMMAND`."""

from symvi.cli import main

raise SystemExit(main())
