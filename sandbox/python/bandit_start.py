"""Starts bandit without the packages that only find its plugins and draw its screen report.

bandit asks stevedore for its plugins, which reads the metadata of every installed package, and imports rich for a
progress bar. Each file read is dear in gVisor, and the plugins of a fixed bandit are known when the image is built:
they are in bandit_plugins.TABLE, in the order of bandit's own entry points. Of the report formats only JSON is there.
"""

import importlib
import os
import sys
from types import ModuleType

import bandit_plugins
import bandit_review

# Imported by bandit for configuration files and tracebacks.
UNUSED = ('configparser', 'tomllib', 'traceback', 'yaml')


class Extension:
    """One plugin, as stevedore describes it."""

    def __init__(self, name, target):
        module, _, attribute = target.partition(':')
        self.name = name
        self.entry_point_target = target
        self.plugin = getattr(importlib.import_module(module), attribute)
        self.obj = None


class ExtensionManager:
    """The part of stevedore's class of that name which bandit uses."""

    def __init__(self, namespace, invoke_on_load=False, verify_requirements=False):
        if invoke_on_load:
            raise ValueError('plugins are not called when they are loaded')
        self.namespace = namespace
        self.extensions = [Extension(name, target) for name, target in bandit_plugins.TABLE[namespace]]
        self._by_name = {extension.name: extension for extension in self.extensions}

    def __iter__(self):
        return iter(self.extensions)

    def __contains__(self, name):
        return name in self._by_name

    def __getitem__(self, name):
        return self._by_name[name]

    def names(self):
        return list(self._by_name)


class Unused(ModuleType):
    """A module that is imported when something of it is asked for, which our command never does."""

    def __getattr__(self, name):
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), name)


def main():
    """Runs bandit's command line on sys.argv; ends the process with bandit's exit status."""
    replace_modules()
    targets = bandit_review.targets_of(sys.argv[1:])
    if targets is None:
        from bandit.cli import main as command_line

        command_line.main()
    for name in UNUSED:
        sys.modules[name] = Unused(name)
    bandit_review.review(targets)
    sys.stderr.flush()
    # Everything is written: taking the interpreter down would only cost time.
    os._exit(0)


def replace_modules():
    metadata = add_module('importlib.metadata')
    metadata.version = lambda name: bandit_plugins.METADATA['Version']
    metadata.metadata = lambda name: bandit_plugins.METADATA
    importlib.metadata = metadata

    add_module('stevedore').extension = add_module('stevedore.extension')
    sys.modules['stevedore.extension'].ExtensionManager = ExtensionManager

    add_module('rich').progress = add_module('rich.progress')
    sys.modules['rich.progress'].track = lambda sequence, *args, **options: sequence


def add_module(name):
    module = ModuleType(name)
    sys.modules[name] = module
    return module
