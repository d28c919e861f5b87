"""Where each of bandit's tests can have a result at all.

Most of bandit's time goes into asking forty tests about every call and four about every string, nearly all of which look
at the called name or at the parent node and leave. What they look at first is written down here, so that a test runs only
where it would go on. A test may run in vain; it must never be left out where it would report something.
Made by reading the plugins of this version of bandit; another one, or a test without an entry, is refused, and so not packed.
"""

import ast
import sys

BANDIT = '1.9.4'

# The called name: whole, its last or first part, or a piece of its last part.
CALLS = {
    'B102': {'whole': ['exec']},
    'B103': {'within': ['chmod']},
    'B113': {'first': ['requests', 'httpx']},
    'B201': {'last': ['run']},
    'B202': {'within': ['extractall']},
    'B324': {'last': ['md4', 'md5', 'sha', 'sha1', 'new', 'crypt', 'mksalt']},
    'B501': {'first': ['requests', 'httpx']},
    'B504': {'whole': ['ssl.wrap_socket']},
    'B505': {'last': ['generate_private_key', 'generate']},
    'B506': {'last': ['load']},
    'B507': {'last': ['set_missing_host_key_policy']},
    'B508': {'last': ['CommunityData']},
    'B509': {'last': ['UsmUserData']},
    'B601': {'last': ['exec_command']},
    'B610': {'last': ['extra']},
    'B611': {'last': ['RawSQL']},
    'B612': {'whole': ['logging.config.listen']},
    'B614': {'last': ['load']},
    'B615': {'last': ['from_pretrained', 'load_dataset', 'hf_hub_download', 'snapshot_download', 'repository_id']},
    'B701': {'last': ['Environment']},
    'B702': {'last': ['Template']},
    'B703': {'last': ['mark_safe', 'SafeText', 'SafeUnicode', 'SafeString', 'SafeBytes']},
}

# The called names are in the test's configuration.
CONFIGURED_CALLS = {
    'B001': lambda config: [name for check in config['Call'] for name in check['qualnames']]
    + ['importlib.import_module', 'importlib.__import__'],
    'B602': lambda config: config['subprocess'],
    'B603': lambda config: config['subprocess'],
    'B605': lambda config: config['shell'],
    'B606': lambda config: config['no_shell'],
    'B607': lambda config: config['subprocess'] + config['shell'] + config['no_shell'],
    'B609': lambda config: config['shell'] + config['subprocess'],
    'B704': lambda config: ['markupsafe.Markup', 'flask.Markup'] + config['extend_markup_names'],
}

# The name of one of the call's keywords.
KEYWORDS = {
    'B106': lambda module, word: word is None or module.RE_CANDIDATES.search(word),
    'B502': lambda module, word: word in ('method', 'ssl_version'),
    'B604': lambda module, word: word == 'shell',
}

STRINGS = ('B104', 'B105', 'B108', 'B608')

# What these tests look at first, the visitor asks itself.
OTHERS = {
    'Assert': ('B101',),
    'ExceptHandler': ('B110', 'B112'),
    'File': ('B613',),
    'FunctionDef': ('B107', 'B503'),
    'Import': ('B001',),
    'ImportFrom': ('B001',),
}

# Names are the scanned program's: no memory is kept of more than these.
REMEMBERED = 20_000


class CallTriggers:
    """Sets of tests are bit masks: bit i is tests[i], in bandit's order."""

    def __init__(self, tests):
        self.tests = tests
        self.all = (1 << len(tests)) - 1
        self.whole, self.first, self.last, self.within = {}, {}, {}, {}
        self.of_name = {}
        self.of_keyword = {}
        self.selected = {}
        for position, test in enumerate(tests):
            bit = 1 << position
            wanted = CALLS.get(test._test_id, {})
            if test._test_id in CONFIGURED_CALLS:
                wanted = {'whole': CONFIGURED_CALLS[test._test_id](test._config)}
            for kind, names in wanted.items():
                table = getattr(self, kind)
                for name in names:
                    table[name] = table.get(name, 0) | bit

    def learn_name(self, name):
        """The tests for calls of name, remembered in of_name."""
        parts = name.split('.')
        last = parts[-1]
        mask = self.whole.get(name, 0) | self.first.get(parts[0], 0) | self.last.get(last, 0)
        for piece, bits in self.within.items():
            if piece in last:
                mask |= bits
        return remember(self.of_name, name, mask)

    def learn_keyword(self, word):
        """The tests for calls with a keyword of this name (None: **), remembered in of_keyword."""
        mask = 0
        for position, test in enumerate(self.tests):
            reports = KEYWORDS.get(test._test_id)
            if reports is not None and reports(sys.modules[test.__module__], word):
                mask |= 1 << position
        return remember(self.of_keyword, word, mask)

    def select(self, mask):
        """The tests of a mask, in bandit's order."""
        tests = [test for position, test in enumerate(self.tests) if mask >> position & 1]
        return remember(self.selected, mask, tests)


class StringTriggers:
    def __init__(self, tests):
        self.tests = tests
        self.secret = [test for test in tests if test._test_id == 'B105']
        self.query = [test for test in tests if test._test_id == 'B608']
        self.names_secret = sys.modules[self.secret[0].__module__].RE_CANDIDATES.search
        # What B104 and B108 look for.
        self.prefixes = ('0.0.0.0', *next(test._config['tmp_dirs'] for test in tests if test._test_id == 'B108'))

    def select(self, node, parent):
        """The tests for a string node which is no docstring."""
        if node.value.startswith(self.prefixes):
            return self.tests
        kind = parent.__class__
        if kind is ast.Assign:
            return self.secret if any(map(self.names_secret, map(assigned_name, parent.targets))) else ()
        if kind is ast.Compare:
            return self.secret
        if kind is ast.Dict or kind is ast.Subscript:
            return self.secret if self.names_secret(node.value) else ()
        if kind is ast.BinOp or kind is ast.Attribute and parent.attr in ('format', 'replace'):
            return self.query
        if kind is ast.JoinedStr and node is next(part for part in parent.values if is_string(part)):
            return self.query
        return ()


def assigned_name(target):
    return target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else ''


def is_string(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def remember(table, key, value):
    if len(table) >= REMEMBERED:
        table.clear()
    table[key] = value
    return value


def unknown(version, tests):
    """Why a bandit of this version with these tests ({check type: tests}) is not the one described here, or None."""
    if version != BANDIT:
        return f'bandit_triggers.py describes bandit {BANDIT}, not {version}'
    described = {
        **OTHERS,
        'Call': ('B001', *CALLS, *CONFIGURED_CALLS, *KEYWORDS),
        'Str': STRINGS,
    }
    for check, listed in tests.items():
        for test in listed:
            if test._test_id not in described.get(check, ()):
                return f'bandit_triggers.py does not describe {test._test_id} for {check}'
    return None
