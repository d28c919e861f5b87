# Entry of bandit in the scanners image: /usr/bin/python3 -I -S -B /opt/bandit/run.py ARGUMENTS OF BANDIT (-f json)
#
# All modules come from two files: finding and reading a hundred of them one by one takes most of bandit's start in gVisor.
# modules.bin has the code of those our scanner's command loads, other.bin of the rest.
import gc
import marshal
import sys
from _frozen_importlib import ModuleSpec

# Trees are freed without it, and memory is dear.
gc.disable()


class PackedModules:
    """A finder and loader over {name: (is_package, file name, code, or None if it is in other.bin)}."""

    def __init__(self, table):
        self.table = table
        self.other = None

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
        name = module.__name__
        exec(self.table[name][2] or self.code_of(name), module.__dict__)

    def code_of(self, name):
        if self.other is None:
            with open('/opt/bandit/other.bin', 'rb') as packed:
                self.other = marshal.loads(packed.read())
        return marshal.loads(self.other[name])


with open('/opt/bandit/modules.bin', 'rb') as packed:
    sys.meta_path.insert(0, PackedModules(marshal.loads(packed.read())))

import bandit_start

bandit_start.main()
