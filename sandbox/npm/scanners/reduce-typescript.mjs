// TypeScript's compiler is one function of nine megabytes. A parser without types needs its scanner and its parser: the
// statements that those do not reach are left out, the others stay as they are. Another shape of the file ends the build.
import { isReference, parseModule, reachable, toStatements, walk } from './reachable.mjs';

/**
 * What stands in place of a name's own statement. The classes are the language service's, for what only a type checker
 * makes; each would bring the whole service along. The others are as in a browser, where there are no files.
 */
const STUBS = {
  ...Object.fromEntries(
    ['SymbolObject', 'TypeObject', 'SignatureObject', 'SourceMapSourceObject'].map(name => [name, toAbsent(name)]),
  ),
  sys: 'var sys = undefined;',
  isNodeLikeSystem: 'function isNodeLikeSystem() { return false; }',
};

/** All that the file does when it is loaded besides defining names, and how often; the first two are needed. */
const EFFECTS = [
  { code: /^"use strict";$/, least: 1, most: 1, isKept: true },
  { code: /^setObjectAllocator\(getServicesObjectAllocator\(\)\);$/, least: 1, most: 1, isKept: true },
  { code: /^register(?:Refactor|CodeFix)\(/, least: 1, most: Number.POSITIVE_INFINITY },
  { code: /^if \(sys && sys\.(?:getEnvironmentVariable|debugMode)\) \{/, least: 2, most: 2 },
  { code: /^if \(typeof console !== "undefined"\) \{\s+Debug\.loggingHost = /, least: 1, most: 1 },
  { code: /^\{\s*\}$/, least: 0, most: 1 },
  { code: /^0 && \(module\.exports = \{/, least: 1, most: 1 },
];

/** The source of typescript.js with those of its exports that `names` has. */
export function reduceTypescript(source, names) {
  const body = findBody(source);
  const statements = toStatements(body);
  const textOf = ({ node }) => source.slice(node.start, node.end);
  const list = onlyOne(statements, statement => textOf(statement).startsWith('__export(typescript_exports, {'));
  const assignment = onlyOne(statements, statement => textOf(statement).startsWith('module.exports = __toCommonJS('));
  const others = statements.filter(statement => statement !== list && statement !== assignment);
  const effects = keptEffects(others, textOf);

  const exported = list.node.expression.arguments[1].properties.filter(property => names.has(property.key.name));
  const stubs = others.filter(({ defines }) => defines.length === 1 && Object.hasOwn(STUBS, defines[0]));
  expect(
    stubs.length === Object.keys(STUBS).length,
    `${stubs.length} statements define ${Object.keys(STUBS).join(', ')}`,
  );
  const needed = reachable(
    others,
    [assignment, ...effects]
      .flatMap(({ mentions }) => [...mentions])
      .concat('__export', exported.map(toLocalName))
      .flat(),
    new Set(Object.keys(STUBS)),
  );
  const kept = new Set([...effects, ...needed, ...stubs, list, assignment]);
  const diagnostics = onlyOne(others, ({ defines }) => defines.includes('Diagnostics'));
  const used = usedProperties(
    [...kept].filter(statement => statement !== diagnostics && statement !== list),
    'Diagnostics',
  );

  const code = statements
    .filter(statement => kept.has(statement))
    .map(statement => {
      if (statement === list) return `__export(typescript_exports, {${exported.map(node => textOf({ node }))}});`;
      if (statement === diagnostics) return reduceObject(statement.node, used, textOf);
      if (stubs.includes(statement)) return STUBS[statement.defines[0]];
      return textOf(statement);
    });
  return [source.slice(0, body[0].start), ...code, source.slice(body.at(-1).end)].join('\n');
}

/** The names of `namespace` that a module which requires TypeScript uses; it may do nothing else with it. */
export function usedNames(source, path) {
  const { body } = parseModule(source, /^(?:import|export) /m.test(source) ? 'module' : 'script');
  const locals = new Set();
  for (const statement of body) {
    if (statement.type === 'ImportDeclaration' && statement.source.value === 'typescript') {
      for (const { local } of statement.specifiers) locals.add(local.name);
    }
    if (statement.type !== 'VariableDeclaration') continue;
    for (const { id, init } of statement.declarations) {
      if (init !== null && /^(?:__importStar\()?require\("typescript"\)\)?$/.test(source.slice(init.start, init.end)))
        locals.add(id.name);
    }
  }
  expect(locals.size === 1, `${path} requires TypeScript in an unknown way`);
  const [local] = locals;
  const others = toStatements(body).filter(
    ({ node, defines }) => node.type !== 'ImportDeclaration' && !defines.includes(local),
  );
  return usedProperties(others, local);
}

function findBody(source) {
  const program = parseModule(source, 'script');
  const call = program.body.at(-1)?.expression;
  expect(program.body.length === 2 && call?.callee?.type === 'ArrowFunctionExpression', 'it is not one function');
  return call.callee.body.body;
}

function keptEffects(statements, textOf) {
  const effects = statements.filter(({ defines }) => defines.length === 0);
  const kindOf = statement => EFFECTS.find(({ code }) => code.test(textOf(statement)));
  for (const effect of effects) expect(kindOf(effect) !== undefined, `on load it does ${textOf(effect).slice(0, 200)}`);
  for (const kind of EFFECTS) {
    const count = effects.filter(effect => kindOf(effect) === kind).length;
    expect(count >= kind.least && count <= kind.most, `${count} statements are like ${kind.code}`);
  }
  return effects.filter(effect => kindOf(effect).isKept === true);
}

/** The properties of the variable `name` that the statements read; they may do nothing else with it. */
function usedProperties(statements, name) {
  const used = new Set();
  for (const { node } of statements) {
    walk(node, (part, parent) => {
      if (!isReference(part, parent) || part.name !== name) return;
      const isRead = parent?.type === 'MemberExpression' && parent.object === part && !parent.computed;
      expect(isRead, `${name} is used as a whole`);
      used.add(parent.property.name);
    });
  }
  return used;
}

function reduceObject(declaration, names, textOf) {
  const [{ id, init }] = declaration.declarations;
  expect(declaration.declarations.length === 1 && init.type === 'ObjectExpression', `${id.name} is no object`);
  const properties = init.properties.filter(property => names.has(property.key.name ?? property.key.value));
  expect(properties.length === names.size, `${id.name} lacks some of its properties`);
  return `var ${id.name} = {${properties.map(node => textOf({ node }))}};`;
}

function onlyOne(statements, test) {
  const found = statements.filter(test);
  expect(found.length === 1, `${found.length} statements are like ${test}`);
  return found[0];
}

function toAbsent(name) {
  return `function ${name}() { throw new Error('${name} is left out of this TypeScript'); }`;
}

const toLocalName = property => property.value.body.name;

function expect(isAsExpected, complaint) {
  if (!isAsExpected) throw new Error(`TypeScript has another shape than expected: ${complaint}`);
}
