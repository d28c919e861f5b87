"""Visits the tree of one file for bandit's tests.

Stands in for bandit.core.node_visitor, which prepares, logs and counts for each of a tree's nodes although few can have a
result. Here a node costs next to nothing until a test is to run on it. The order in which nodes are visited is bandit's.
"""

import ast
import operator

from bandit.core import utils
from bandit_tester import Tester

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


class Visitor(Tester):
    def process(self, data):
        """Runs all tests on the source in data. Raises what parsing raises, and RecursionError for a tree too deep."""
        try:
            self.visit(ast.parse(data))
        finally:
            self.unlink()
        self.run_on_file(data)

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
