// Attributes such as `-diff` in the change itself must not hide its hunks: read them from the empty tree. A value that
// does not resolve (SHA-256 repositories) counts as the empty tree too.
const EMPTY_TREE = '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

const SAFE_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/**
 * Settings that win over every file (GIT_CONFIG_COUNT). The configuration of a repository under review is never loaded;
 * these hold even if one should be.
 */
const HARDENED: readonly (readonly [string, string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  ['core.quotePath', 'false'],
  ['core.pager', 'cat'],
  ['core.attributesFile', '/dev/null'],
  ['core.excludesFile', '/dev/null'],
  // Both are read from the repository's object folder and may claim a false history.
  ['core.commitGraph', 'false'],
  ['core.multiPackIndex', 'false'],
  ['core.looseCompression', '0'],
  ['core.abbrev', 'no'],
  ['diff.ignoreSubmodules', 'all'],
  ['submodule.recurse', 'false'],
  ['fetch.recurseSubmodules', 'false'],
  ['fetch.writeCommitGraph', 'false'],
  ['transfer.bundleURI', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['credential.helper', ''],
  ['http.followRedirects', 'false'],
  ['http.cookieFile', ''],
  ['log.showSignature', 'false'],
  ['protocol.version', '2'],
];

export interface GitEnvironmentOptions {
  readonly gitDir: string;
  readonly workTree?: string | undefined;
  readonly indexFile?: string | undefined;
  /** The caller's PATH; only its absolute folders are kept. */
  readonly searchPath?: string | undefined;
  /** Settings of this call alone, for example a credential: they reach the process in its environment only. */
  readonly settings?: readonly (readonly [string, string])[] | undefined;
  /** Attributes of the work tree hold (end of line, encoding); by default none do. */
  readonly readAttributes?: boolean | undefined;
  /** URL schemes git may use; none by default. */
  readonly protocols?: readonly string[] | undefined;
  /** Proxy and certificate variables; nothing else of the caller's environment is passed on. */
  readonly network?: Readonly<Record<string, string>> | undefined;
}

/** The whole environment of a git process: nothing inherited, no configuration file, no prompt, no lazy fetch. */
export function toGitEnvironment(options: GitEnvironmentOptions): Record<string, string> {
  const attributes = options.readAttributes ? [] : [['attr.tree', EMPTY_TREE] as const];
  const settings = [...HARDENED, ...attributes, ...(options.settings ?? [])];
  const environment: Record<string, string> = {
    ...pickNetwork(options.network ?? {}),
    PATH: toSafePath(options.searchPath),
    HOME: '/nonexistent',
    XDG_CONFIG_HOME: '/nonexistent',
    LC_ALL: 'C',
    GIT_DIR: options.gitDir,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_SYSTEM: '/dev/null',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '',
    SSH_ASKPASS: '',
    GIT_SSH_COMMAND: 'false',
    GIT_PAGER: 'cat',
    GIT_EDITOR: 'false',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_NO_LAZY_FETCH: '1',
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_LITERAL_PATHSPECS: '1',
    GIT_ALLOW_PROTOCOL: options.protocols?.join(':') || 'none',
    GIT_CONFIG_COUNT: String(settings.length),
  };
  for (const [index, [key, value]] of settings.entries()) {
    environment[`GIT_CONFIG_KEY_${index}`] = key;
    environment[`GIT_CONFIG_VALUE_${index}`] = value;
  }
  if (options.workTree !== undefined) environment['GIT_WORK_TREE'] = options.workTree;
  if (options.indexFile !== undefined) environment['GIT_INDEX_FILE'] = options.indexFile;
  return environment;
}

/** Names of the variables that a fetch may need from the machine to reach its server. */
export const NETWORK_VARIABLES = [
  'http_proxy',
  'https_proxy',
  'all_proxy',
  'no_proxy',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'ALL_PROXY',
  'NO_PROXY',
  'SSL_CERT_FILE',
  'SSL_CERT_DIR',
  'GIT_SSL_CAINFO',
  'CURL_CA_BUNDLE',
] as const;

function pickNetwork(source: Readonly<Record<string, string>>): Record<string, string> {
  const picked: Record<string, string> = {};
  for (const name of NETWORK_VARIABLES) {
    const value = source[name];
    if (value !== undefined) picked[name] = value;
  }
  return picked;
}

// A relative folder in PATH would let a program of the current folder pass for git or one of its helpers.
function toSafePath(searchPath: string | undefined): string {
  const kept = (searchPath ?? '').split(':').filter(folder => folder.startsWith('/'));
  return kept.length > 0 ? kept.join(':') : SAFE_PATH;
}
