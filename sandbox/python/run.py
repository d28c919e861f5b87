# Entry of bandit in the scanners image: /usr/bin/python3 -I -S -B /opt/bandit/run.py ARGUMENTS OF BANDIT (-f json)
#
# All modules come from one file: finding and reading a hundred of them one by one takes most of bandit's start in gVisor.
import marshal
import sys
from _frozen_importlib import ModuleSpec


class PackedModules:
    """A finder and loader over {name: (is_package, file name, code)}."""

    def __init__(self, table):
        self.table = table

    def find_spec(self, name, path=None, target=None):
        entry = self.table.get(name)
        if entry is None:
            return None
        spec = ModuleSpec(name, self, origin=entry[1], is_package=entry[0])
        spec.has_location = True
        return spec

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        exec(self.table[module.__name__][2], module.__dict__)


with open('/opt/bandit/modules.bin', 'rb') as packed:
    sys.meta_path.insert(0, PackedModules(marshal.load(packed)))

import bandit_start

bandit_start.main()
