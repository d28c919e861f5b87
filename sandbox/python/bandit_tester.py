"""Runs bandit's tests on the nodes of one file and on the file: bandit.core.tester, for a run that ignores `# nosec`.

What tests are given, what becomes of their results and of their failures are as in bandit. No test of bandit asks for the
namespace, for the sibling of a node or for the context's lines, so these are not kept.
"""

import ast
import io
import tokenize

from bandit.core import constants, utils
from bandit.core.context import Context
from bandit.core.tester import BanditTester

BIDIRECTIONAL = tuple('\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200f')


class Rules:
    """bandit's tests, prepared once for all files. tests: {check type: tests}, as in bandit's test set."""

    def __init__(self, tests, calls, strings):
        self.calls = calls
        self.strings = strings
        self.functions = tests.get('FunctionDef', ())
        self.handlers = tests.get('ExceptHandler', ())
        self.asserts = tests.get('Assert', ())
        self.imports = tests.get('Import', ())
        self.imports_from = tests.get('ImportFrom', ())
        self.files = tests.get('File', ())
        self.imported = {
            kind: tuple(name for check in self.imports[0]._config[kind.__name__] for name in check['qualnames'])
            for kind in (ast.Import, ast.ImportFrom)
        }


class Tester:
    """One file. results, scores: as bandit's; overflowed: a test had too little stack to end."""

    def __init__(self, rules, file_name, file):
        self.rules = rules
        self.file_name = file_name
        self.file = file
        self.results = []
        self.scores = {'SEVERITY': [0] * len(constants.RANKING), 'CONFIDENCE': [0] * len(constants.RANKING)}
        self.overflowed = False
        self.imports = set()
        self.aliases = {}
        # The nodes above the one that is visited.
        self.ancestors = []
        self.linked = []

    def run_on(self, node, tests, own, ranged):
        """Runs tests on a node, whose results cover the lines of ranged."""
        self.link(node)
        context = {
            'imports': self.imports,
            'import_aliases': self.aliases,
            'lineno': node.lineno,
            'col_offset': node.col_offset,
            'end_col_offset': node.end_col_offset,
            'node': node,
            'filename': self.file_name,
            'file_data': self.file,
            **own,
        }
        self.run(tests, context, ranged)

    def run_on_file(self, data):
        if self.rules.files and may_mislead(data):
            context = {
                'file_data': self.file,
                'filename': self.file_name,
                'lineno': 0,
                'linerange': [0, 1],
                'col_offset': 0,
            }
            self.run(self.rules.files, context, None)

    def link(self, node):
        """Tells node and all above it their parents, as tests expect."""
        for parent in reversed(self.ancestors):
            node._bandit_parent = parent
            self.linked.append(node)
            node = parent
            if hasattr(node, '_bandit_parent'):
                break

    def unlink(self):
        """Without these circles a tree is freed as soon as it is done with."""
        for node in self.linked:
            del node._bandit_parent
        self.linked = []

    def run(self, tests, shared, ranged):
        for test in tests:
            values = shared.copy()
            context = Context(values)
            try:
                result = test(context, test._config) if hasattr(test, '_config') else test(context)
                if result is not None:
                    self.add(result, test, values, ranged)
            except Exception as error:
                self.overflowed = self.overflowed or isinstance(error, RecursionError)
                BanditTester.report_error(test.__name__, context, error)

    def add(self, result, test, values, ranged):
        # A lone surrogate in a text would keep bandit from reporting anything at all.
        result.text = result.text.encode('utf-8', 'backslashreplace').decode('utf-8')
        result.fname = self.file_name
        if result.lineno is None:
            result.lineno = values['lineno']
        if result.linerange == []:
            result.linerange = values['linerange'] if ranged is None else utils.linerange(ranged)
        if result.col_offset == -1:
            result.col_offset = values['col_offset']
        result.end_col_offset = values.get('end_col_offset', 0)
        result.test = test.__name__
        if result.test_id == '':
            result.test_id = test._test_id
        self.results.append(result)
        for score, rank in (('SEVERITY', result.severity), ('CONFIDENCE', result.confidence)):
            self.scores[score][constants.RANKING.index(rank)] += constants.RANKING_VALUES[rank]


def may_mislead(data):
    """Whether the test for text that runs backwards has anything to find, or to complain of."""
    start = data[: data.find(b'\n', data.find(b'\n') + 1) + 1] or data
    if data.isascii() and b'coding' not in start:
        return False
    try:
        text = data.decode(tokenize.detect_encoding(io.BytesIO(data).readline)[0])
    except Exception:
        return True
    return any(sign in text for sign in BIDIRECTIONAL)
