/** A class of findings: how likely exploitation is before anything is known, and how bad it would be. */
export interface FindingClass {
  readonly name: string;
  /** L when nothing better is known. */
  readonly prior: number;
  /** I when the finding has no severity, or the ceiling of I where `caps`. */
  readonly impact: number;
  /** True for writers that stamp one severity on everything: the class's impact is then the most that I can be. */
  readonly caps: boolean;
}

type Row = readonly [name: string, prior: number, impact: number, caps: boolean];

const toClass = ([name, prior, impact, caps]: Row): FindingClass => ({ name, prior, impact, caps });

export const UNCLASSIFIED = toClass(['unclassified', 0.3, 0.45, false]);
export const DEPENDENCY = toClass(['dependency', 0.3, 0.45, false]);
export const MISCONFIGURATION = toClass(['misconfig', 0.3, 0.3, true]);
export const HARDENING = toClass(['hardening', 0.05, 0.1, true]);

/** By the type of a security check; types that start with `missing` and have no row are hardening, the rest misconfig. */
export const CHECK_CLASSES: ReadonlyMap<string, FindingClass> = toTable({
  cache_control_missing: ['hardening', 0.05, 0.1, true],
  spf_missing: ['spoofing', 0.3, 0.3, true],
  dmarc_missing: ['spoofing', 0.3, 0.3, true],
  dkim_missing: ['spoofing', 0.3, 0.3, true],
  direct_ip_http: ['cdn_bypass', 0.3, 0.3, true],
  direct_ip_https: ['cdn_bypass', 0.3, 0.3, true],
  waf_bypass: ['cdn_bypass', 0.3, 0.3, true],
  ip_api_exposed: ['exposure', 0.3, 0.5, true],
  no_rate_limiting: ['rate_limit', 0.2, 0.3, true],
  cors_misconfiguration: ['misconfig', 0.4, 0.5, true],
  open_redirect: ['misconfig', 0.3, 0.3, true],
});

export const CREDENTIAL = toClass(['credential', 0.6, 0.9, true]);
export const GENERIC_SECRET = toClass(['generic_secret', 0.4, 0.6, true]);

/** By a word in the detector's or the secret's name; the first list with a match wins, else generic_secret. */
export const SECRET_CLASSES: readonly { readonly class: FindingClass; readonly words: readonly string[] }[] = [
  {
    class: toClass(['identifier', 0.2, 0.1, true]),
    words: 'ip address|private ip|s3 bucket|bucket|email|phone|domain|hostname|mac address|uuid'.split('|'),
  },
  {
    class: CREDENTIAL,
    words: (
      'aws|gcp|azure|private key|privatekey|rsa|ssh|password|passwd|connection string|connectionstring|jwt|bearer|' +
      'session|oauth|refresh token|access token|slack|stripe|twilio|sendgrid|github|gitlab|npm|docker|kubernetes|' +
      'kubeconfig|database|postgres|mysql|mongodb|redis|credential'
    ).split('|'),
  },
  { class: GENERIC_SECRET, words: 'api key|apikey|token|secret|key'.split('|') },
];

/** By the type of a finding in JavaScript; an unknown type is classed as a secret. */
export const JS_CLASSES: ReadonlyMap<string, FindingClass> = toTable({
  api_key: ['generic_secret', 0.4, 0.6, true],
  credential: ['credential', 0.6, 0.9, true],
  secret: ['generic_secret', 0.4, 0.6, true],
  internal_ip: ['info_disclosure', 0.2, 0.1, true],
  email: ['info_disclosure', 0.2, 0.1, true],
  source_map_exposure: ['info_disclosure', 0.2, 0.2, true],
  hidden_route: ['info_disclosure', 0.2, 0.2, true],
  endpoint: ['info_disclosure', 0.2, 0.1, true],
  graphql_endpoint: ['info_disclosure', 0.2, 0.2, true],
  cloud_storage: ['exposure', 0.3, 0.4, true],
});

export const MISCONFIGURATION_TAGS: ReadonlySet<string> = new Set(['exposure', 'misconfig', 'misconfiguration']);

/** Names that mark a finding as one that gives an attacker control or data at once. */
const EXPLOITABLE_NAMES = (
  'sqli sql-injection sql_injection rce cmdi command-injection command_injection lfi rfi ssrf xxe ssti deserialization ' +
  'auth-bypass auth_bypass authentication-bypass takeover subdomain_takeover cache_poisoning path-traversal ' +
  'path_traversal file-upload xslt log4j jndi'
).split(' ');

/** The longest name first, then by the alphabet: the first that occurs in a text names the class. */
export const EXPLOITABLE_CLASSES: readonly FindingClass[] = EXPLOITABLE_NAMES.toSorted(
  (a, b) => b.length - a.length || (a < b ? -1 : 1),
).map(name => toClass([name, 0.7, 0.75, false]));

function toTable(rows: Readonly<Record<string, Row>>): ReadonlyMap<string, FindingClass> {
  return new Map(Object.entries(rows).map(([key, row]) => [key, toClass(row)]));
}
