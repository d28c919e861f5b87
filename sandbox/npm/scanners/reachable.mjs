// Which top-level statements of a module some of its names need. Nothing inside a statement is changed.
import { parse } from 'acorn';

/**
 * `body`: statements of a parsed module or function. Of each: the node, the top-level names that it defines or completes
 * (`X.a = …`, `((X2) => {…})(X || (X = {}))`), and all names it mentions. One that does neither has an empty `defines`.
 */
export function toStatements(body) {
  return body.map(node => ({ node, defines: definedNames(node), mentions: mentionedNames(node) }));
}

/** The statements that define `names`, with all that those mention in turn; `stubs` are not followed. */
export function reachable(statements, names, stubs = new Set()) {
  const definers = new Map();
  for (const statement of statements) {
    for (const name of statement.defines) definers.set(name, [...(definers.get(name) ?? []), statement]);
  }
  const seen = new Set(names);
  const kept = new Set();
  // A set iterates over what is added to it meanwhile.
  for (const name of seen) {
    if (stubs.has(name)) continue;
    for (const statement of definers.get(name) ?? []) {
      if (kept.has(statement)) continue;
      kept.add(statement);
      for (const mention of statement.mentions) if (definers.has(mention)) seen.add(mention);
    }
  }
  return statements.filter(statement => kept.has(statement));
}

export const parseModule = (source, sourceType) =>
  parse(source, { ecmaVersion: 'latest', sourceType, allowHashBang: true });

/** Calls `visit(node, parent)` for every node. */
export function walk(node, visit, parent = undefined) {
  visit(node, parent);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) {
      if (typeof child?.type === 'string') walk(child, visit, node);
    }
  }
}

/** Names of properties are not names of variables. */
export function isReference(node, parent) {
  if (node.type !== 'Identifier') return false;
  if (parent?.type === 'MemberExpression') return parent.object === node || parent.computed;
  const isKeyed = ['Property', 'MethodDefinition', 'PropertyDefinition'].includes(parent?.type);
  return !isKeyed || parent.value === node || parent.computed || parent.shorthand === true;
}

/** Any identifier that may be a variable, of whatever scope: too much may be kept, never too little. */
function mentionedNames(statement) {
  const names = new Set();
  walk(statement, (node, parent) => {
    if (isReference(node, parent)) names.add(node.name);
  });
  return names;
}

function definedNames(node) {
  if (node.type === 'FunctionDeclaration' || node.type === 'ClassDeclaration') return [node.id.name];
  if (node.type === 'VariableDeclaration') return node.declarations.flatMap(({ id }) => [...mentionedNames(id)]);
  if (node.type !== 'ExpressionStatement') return [];
  const { expression } = node;
  if (expression.type === 'AssignmentExpression') return [rootName(expression.left)];
  if (expression.type !== 'CallExpression') return [];
  const [argument] = expression.arguments;
  if (expression.callee.name === '__export') return [argument.name];
  const isNamespace = expression.callee.type === 'ArrowFunctionExpression' && argument?.type === 'LogicalExpression';
  return isNamespace ? [argument.left.name] : [];
}

const rootName = node => (node.type === 'MemberExpression' ? rootName(node.object) : node.name);
