const FINDING_LABEL =
  /:(?:Vulnerability|ExploitGvm|Secret|JsReconFinding|MultiscannerFinding|GithubSecret|GithubSensitiveFile|MalPackageFinding|CodeFinding|FindingLabel)\b/;

const CLAUSES =
  /^(?=[ \t]*(?:OPTIONAL MATCH|MATCH|MERGE|WITH|RETURN|SET|UNWIND|CREATE|ON|REMOVE|DETACH|DELETE|CALL|ORDER|WHERE)\b)/m;

export interface QueryExceptions {
  /** Not about one project. */
  readonly anyProject?: boolean;
  /** Muted findings count. */
  readonly muted?: boolean;
}

/** What is wrong with a query by the rules of the house; empty for a good one. */
export function findFaults(query: string, { anyProject = false, muted = false }: QueryExceptions = {}): string[] {
  const code = codeOf(query);
  const faults: string[] = [];
  if (!query.startsWith('CYPHER 5\n')) faults.push('does not pin the language');
  if (/\bOPTIONAL\s+MATCH\b/i.test(code)) faults.push('asks with OPTIONAL MATCH');
  if (code.includes(';')) faults.push('has several statements');
  if (anyProject) {
    if (code.includes('$projectId')) faults.push('is bound to a project after all');
  } else {
    if (!code.includes('$userId') || !code.includes('$projectId')) faults.push('is not bound to user and project');
    for (const clause of freeClauses(code)) {
      if (!clause.includes('$userId') || !clause.includes('$projectId')) {
        faults.push(`starts from another tenant: ${clause.trim().split('\n')[0]}`);
      }
    }
  }
  if (!muted && FINDING_LABEL.test(withoutSubqueries(code)) && !/\bNOT \w+:Muted\b/.test(code)) {
    faults.push('lets muted findings through');
  }
  return faults;
}

export const isReadOnly = (query: string): boolean =>
  !/\b(?:CREATE|MERGE|SET|DELETE|REMOVE|FOREACH|LOAD)\b/.test(codeOf(query));

/** Without comments and texts, in which any word may stand. */
const codeOf = (query: string): string => query.replace(/\/\/[^\n]*/g, '').replace(/'[^']*'/g, "''");

/**
 * The MATCH and MERGE clauses, each with its WHERE, that start from nothing known before: those must name the tenant.
 * Those within EXISTS, COLLECT and COUNT start from a node of the clause around them.
 */
function freeClauses(code: string): string[] {
  const known = new Set<string>();
  const free: string[] = [];
  const clauses = withoutSubqueries(code).split(CLAUSES);
  for (const [i, clause] of clauses.entries()) {
    const word = /^\s*(\w+)/.exec(clause)?.[1] ?? '';
    const variables = [...clause.matchAll(/\((\w+)/g)].map(match => match[1] ?? '');
    if (['MATCH', 'MERGE', 'OPTIONAL'].includes(word) && !variables.some(variable => known.has(variable))) {
      const next = clauses[i + 1] ?? '';
      free.push(/^\s*WHERE\b/.test(next) ? clause + next : clause);
    }
    if (['MATCH', 'MERGE', 'CREATE'].includes(word)) for (const variable of variables) known.add(variable);
  }
  return free;
}

/** EXISTS { … }, COLLECT { … } and COUNT { … } cut out; maps of properties stay. */
function withoutSubqueries(code: string): string {
  let left = '';
  for (let i = 0; i < code.length; i++) {
    if (code[i] !== '{' || !/\b(?:EXISTS|COLLECT|COUNT) ?$/.test(left)) {
      left += code[i];
      continue;
    }
    for (let depth = 0; i < code.length; i++) {
      if (code[i] === '{') depth++;
      if (code[i] === '}' && --depth === 0) break;
    }
  }
  return left;
}
