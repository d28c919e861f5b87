"""Runs bandit's tests over one file: bandit's node visitor and tester, for a run that ignores `# nosec`.

Stands in for bandit.core.node_visitor and bandit.core.tester, which prepare, log and count for each of a tree's nodes
although few can have a result. Here a node costs next to nothing until a test is to run on it. The order of tests, what
they are given and what becomes of their results are bandit's. No test of bandit asks for the namespace, for the sibling
of a node or for the context's lines, so these are not kept.
"""

import ast
import io
import operator
import tokenize

from bandit.core import constants, utils
from bandit.core.context import Context
from bandit.core.tester import BanditTester

BIDIRECTIONAL = tuple('\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200f')

# Nodes below which there are only names and signs, which no test is for.
WITHOUT_TESTS = (ast.expr_context, ast.boolop, ast.operator, ast.unaryop, ast.cmpop, ast.alias, ast.type_ignore)


def inner_fields(kind):
    """The fields of a kind of node that can hold nodes to visit, in order."""
    return [
        name
        for name, declared in kind._field_types.items()
        for held in getattr(declared, '__args__', (declared,))
        if issubclass(held, ast.AST) and not issubclass(held, WITHOUT_TESTS)
    ]


KINDS = {kind for kind in vars(ast).values() if isinstance(kind, type) and issubclass(kind, ast.AST) and '_field_types' in vars(kind)}
FIELDS = {kind: inner_fields(kind) for kind in KINDS}
# {kind: function from a node to the values of those fields}. Only of two names or more makes attrgetter a tuple: _fields, a tuple
# itself, is passed over.
INNER = {kind: operator.attrgetter(*fields, '_fields') for kind, fields in FIELDS.items() if fields}


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


class Visitor:
    """One file. After process(): results, scores (as bandit's), overflowed: a test had too little stack to end."""

    def __init__(self, rules, file_name, file):
        self.rules = rules
        self.file_name = file_name
        self.file = file
        self.results = []
        self.scores = {'SEVERITY': [0] * len(constants.RANKING), 'CONFIDENCE': [0] * len(constants.RANKING)}
        self.overflowed = False
        self.imports = set()
        self.aliases = {}
        self.ancestors = []
        self.linked = []

    def process(self, data):
        """Runs all tests on the source in data. Raises what parsing raises, and RecursionError for a tree too deep."""
        try:
            self.visit(ast.parse(data))
        finally:
            # Without these circles a tree is freed as soon as it is done with.
            for node in self.linked:
                del node._bandit_parent
        if self.rules.files and may_mislead(data):
            context = {
                'file_data': self.file,
                'filename': self.file_name,
                'lineno': 0,
                'linerange': [0, 1],
                'col_offset': 0,
            }
            self.run(self.rules.files, context, None)

    def visit(self, node):
        """Visits what is below node. One stack frame a level, as in bandit."""
        self.ancestors.append(node)
        visit = self.visit
        for value in INNER[node.__class__](node):
            for child in value if value.__class__ is list else (value,):
                check = CHECKS[child.__class__]
                if check is not None and (check is VISIT or not check(self, child, node)):
                    visit(child)
        self.ancestors.pop()

    # Each check returns whether there is nothing to visit below its node.

    def check_attribute(self, node, parent):
        return node.value.__class__ is ast.Name

    def check_argument(self, node, parent):
        return node.annotation is None

    def check_constant(self, node, parent):
        # A string that is a statement is a docstring.
        if node.value.__class__ is str and parent.__class__ is not ast.Expr:
            tests = self.rules.strings.select(node, parent)
            if tests:
                self.run_on(node, tests, {'str': node.value}, parent)
        return True

    def check_call(self, node, parent):
        name = self.name_of(node)
        calls = self.rules.calls
        mask = calls.of_name.get(name)
        if mask is None:
            mask = calls.learn_name(name)
        if node.func.__class__ is ast.Name and node.func.id == '__import__':
            mask = calls.all
        for keyword in node.keywords:
            bits = calls.of_keyword.get(keyword.arg)
            mask |= calls.learn_keyword(keyword.arg) if bits is None else bits
        if mask:
            tests = calls.selected.get(mask) or calls.select(mask)
            self.run_on(node, tests, {'call': node, 'qualname': name, 'name': name.split('.')[-1]}, node)

    def name_of(self, node):
        """What bandit takes for the called name; a short way for x() and x.y()."""
        called, aliases = node.func, self.aliases
        if called.__class__ is ast.Name:
            return aliases.get(called.id, called.id)
        if called.__class__ is ast.Attribute and called.value.__class__ is ast.Name:
            owner = called.value.id
            name = f'{aliases.get(owner, owner)}.{called.attr}'
            return aliases.get(name, name)
        return utils.get_call_name(node, aliases)

    def check_function(self, node, parent):
        if node.args.defaults:
            self.run_on(node, self.rules.functions, {'function': node, 'name': node.name}, node)

    def check_handler(self, node, parent):
        if len(node.body) == 1:
            self.run_on(node, self.rules.handlers, {}, node)

    def check_assert(self, node, parent):
        self.run_on(node, self.rules.asserts, {}, node)

    def check_import(self, node, parent):
        own = {}
        for alias in node.names:
            if alias.asname:
                self.aliases[alias.asname] = alias.name
            self.imports.add(alias.name)
            own['module'] = alias.name
        if any(alias.name.startswith(self.rules.imported[node.__class__]) for alias in node.names):
            self.run_on(node, self.rules.imports, own, node)
        return True

    def check_import_from(self, node, parent):
        module = node.module
        if module is None:
            return self.check_import(node, parent)
        own = {'module': module}
        found = False
        for alias in node.names:
            name = f'{module}.{alias.name}'
            self.aliases[alias.asname or alias.name] = name
            self.imports.add(name)
            own['name'] = alias.name
            found = found or name.startswith(self.rules.imported[ast.ImportFrom])
        if found:
            self.run_on(node, self.rules.imports_from, own, node)
        return True

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

    def link(self, node):
        """Tells node and all above it their parents, as tests expect."""
        for parent in reversed(self.ancestors):
            node._bandit_parent = parent
            self.linked.append(node)
            node = parent
            if hasattr(node, '_bandit_parent'):
                break

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


VISIT = object()
# {kind: check, or VISIT, or None where there is neither anything to check nor to visit}
CHECKS = {
    type(None): None,
    tuple: None,
    **{kind: VISIT if fields else None for kind, fields in FIELDS.items()},
    ast.Attribute: Visitor.check_attribute,
    ast.arg: Visitor.check_argument,
    ast.Constant: Visitor.check_constant,
    ast.Call: Visitor.check_call,
    ast.FunctionDef: Visitor.check_function,
    ast.ExceptHandler: Visitor.check_handler,
    ast.Assert: Visitor.check_assert,
    ast.Import: Visitor.check_import,
    ast.ImportFrom: Visitor.check_import_from,
}


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
