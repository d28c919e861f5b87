# Entry of bandit in the scanners image: /usr/bin/python3 -I -S -B /opt/bandit/run.py ARGUMENTS OF BANDIT (-f json)
import sys

sys.path.insert(0, '/opt/bandit/lib.zip')

import bandit_start

bandit_start.main()
