/**
 * Shapes of well-known credentials, most specific first: of two that overlap, the earlier one names the kind.
 *
 * Every pattern is linear on hostile text: a repetition without an upper bound stands only at the end of a pattern or
 * behind a lookbehind that lets one run start once, so that a failed attempt costs a bounded number of steps.
 */
export interface SecretPattern {
  readonly kind: string;
  readonly pattern: RegExp;
  /** Leading characters that may stay readable, at most 4: the public prefix of a token, nothing of a password. */
  readonly keep: number;
  /** Guesses by the name beside the value; code and templates are not values. */
  readonly guess?: boolean;
  /** One of these stands in every match: nearly all texts have none, and need not be searched. Absent: nothing is sure. */
  readonly marks?: readonly string[];
}

type Marks = readonly string[] | undefined;
const prefixed = (kind: string, pattern: RegExp, marks: Marks): SecretPattern => toPattern(kind, pattern, 4, marks);
const opaque = (kind: string, pattern: RegExp, marks?: Marks): SecretPattern => toPattern(kind, pattern, 0, marks);
const guessed = (kind: string, pattern: RegExp, marks?: Marks): SecretPattern => ({
  ...toPattern(kind, pattern, 0, marks),
  guess: true,
});
const toPattern = (kind: string, pattern: RegExp, keep: number, marks: Marks): SecretPattern => ({
  kind,
  pattern,
  keep,
  ...(marks === undefined ? {} : { marks }),
});

const NAME =
  '(?:passw(?:or)?d|passphrase|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|auth[_-]?key|credential)';
/** The rest of the name, a closing quote, an optional type, and the sign between name and value. */
const ASSIGNED =
  '[\\w-]{0,24}["\'`\\]]{0,2}(?:[ \\t]{0,2}:[ \\t]{0,2}[\\w.|]{1,16})?[ \\t]{0,4}(?::=|=>|==|[=:])[ \\t]{0,4}';

/** A character of a value without quotes. */
const BARE = '[^\\s"\'`,;&<>()[\\]{}$]';

/** A pattern with a group named `value` masks that group alone. */
export const SECRET_PATTERNS: readonly SecretPattern[] = [
  prefixed('github-token', /github_pat_[A-Za-z0-9_]{22,}/g, ['github_pat_']),
  prefixed('github-token', /ghs_[A-Za-z0-9._-]{36,}/g, ['ghs_']),
  prefixed('github-token', /gh[opru]_[A-Za-z0-9]{36,}/g, ['gh']),
  prefixed('gitlab-token', /gl(?:pat|dt|rt|ptt|cbt|agent|soat|oas|ft|imt)-[A-Za-z0-9_-]{20,}/g, ['gl']),
  prefixed('aws-access-key', /(?<![A-Z0-9])(?:AKIA|ASIA|ABIA|ACCA)[A-Z2-7]{16}(?![A-Z0-9])/g, [
    'AKIA',
    'ASIA',
    'ABIA',
    'ACCA',
  ]),
  opaque(
    'aws-secret-key',
    /aws.{0,20}?(?:secret|key).{0,20}?[=:]["'\s]{0,6}(?<value>[A-Za-z0-9/+=]{40})(?![A-Za-z0-9/+=])/gi,
  ),
  prefixed('google-key', /AIza[A-Za-z0-9_-]{35}/g, ['AIza']),
  prefixed('google-token', /ya29\.[A-Za-z0-9_-]{20,}/g, ['ya29.']),
  prefixed('google-client-secret', /GOCSPX-[A-Za-z0-9_-]{28}/g, ['GOCSPX-']),
  prefixed('slack-token', /xox[abeoprs]-[A-Za-z0-9-]{10,}|xapp-[0-9]-[A-Za-z0-9-]{10,}/g, ['xox', 'xapp-']),
  opaque('slack-webhook', /hooks\.slack\.com\/(?:services|workflows|triggers)\/(?<value>[A-Za-z0-9/]{20,})/g, [
    'hooks.slack.com/',
  ]),
  prefixed('stripe-key', /(?:sk|rk)_(?:live|test)_[A-Za-z0-9]{16,}|whsec_[A-Za-z0-9+/=]{24,}/g, [
    '_live_',
    '_test_',
    'whsec_',
  ]),
  prefixed('anthropic-key', /sk-ant-[A-Za-z0-9_-]{20,}/g, ['sk-ant-']),
  prefixed('openrouter-key', /sk-or-v1-[a-f0-9]{32,}/g, ['sk-or-v1-']),
  prefixed('openai-key', /(?<![A-Za-z0-9])sk-(?=[A-Za-z_-]{0,40}[0-9])[A-Za-z0-9_-]{20,}/g, ['sk-']),
  prefixed('npm-token', /npm_[A-Za-z0-9]{36,}/g, ['npm_']),
  prefixed('pypi-token', /pypi-[A-Za-z0-9_-]{50,}/g, ['pypi-']),
  prefixed('rubygems-key', /rubygems_[a-f0-9]{48}/g, ['rubygems_']),
  prefixed('docker-token', /dckr_[a-z]{3,4}_[A-Za-z0-9_-]{20,}/g, ['dckr_']),
  prefixed('sendgrid-key', /SG\.[A-Za-z0-9_-]{16,32}\.[A-Za-z0-9_-]{16,64}/g, ['SG.']),
  prefixed('twilio-key', /(?<![A-Za-z0-9])SK[0-9a-f]{32}(?![A-Za-z0-9])/g, ['SK']),
  prefixed('mailgun-key', /(?<![A-Za-z0-9])key-[0-9a-f]{32}(?![A-Za-z0-9])/g, ['key-']),
  prefixed('digitalocean-token', /do[opr]_v1_[a-f0-9]{64}/g, ['_v1_']),
  prefixed('huggingface-token', /(?<![A-Za-z0-9])hf_[A-Za-z0-9]{30,}/g, ['hf_']),
  prefixed('databricks-token', /(?<![A-Za-z0-9])dapi[a-f0-9]{32}/g, ['dapi']),
  prefixed('vault-token', /hv[sb]\.[A-Za-z0-9_-]{24,}/g, ['hvs.', 'hvb.']),
  prefixed('shopify-token', /shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}/g, ['shp']),
  prefixed('atlassian-token', /ATATT3[A-Za-z0-9_=-]{50,}/g, ['ATATT3']),
  prefixed('grafana-token', /gls?c?a?_[A-Za-z0-9]{32}_[a-f0-9]{8}/g, ['gl']),
  prefixed('service-token', /(?:PMAK|NRAK)-[A-Za-z0-9-]{24,}|(?:lin_api|sntrys|sbp|nfp|figd)_[A-Za-z0-9_-]{32,}/g, [
    'PMAK-',
    'NRAK-',
    'lin_api_',
    'sntrys_',
    'sbp_',
    'nfp_',
    'figd_',
  ]),
  prefixed('age-key', /AGE-SECRET-KEY-1[A-Z0-9]{58}/g, ['AGE-SECRET-KEY-1']),
  opaque('telegram-token', /(?<![0-9])[0-9]{8,10}:AA[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])/g, [':AA']),
  opaque('azure-key', /(?:AccountKey|SharedAccessKey)=(?<value>[A-Za-z0-9+/=]{40,})/g, [
    'AccountKey=',
    'SharedAccessKey=',
  ]),
  opaque('azure-signature', /[?&]sig=(?<value>[A-Za-z0-9%+/=]{40,})/g, ['sig=']),
  prefixed('jwt', /(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{10,}\.eyJ[A-Za-z0-9_-]{4,}(?:\.[A-Za-z0-9_-]{0,})?/g, ['eyJ']),
  guessed('url-password', /:\/\/[^\s/:@"'`<>]{0,100}:(?<value>[^\s/@"'`<>]{3,200})@/g, ['://']),
  guessed('authorization', /(?<![A-Za-z])(?:bearer|basic)[ \t]{1,4}(?<value>[A-Za-z0-9+/=._~-]{20,})/gi),
  guessed('password', new RegExp(`${NAME}${ASSIGNED}(?<quote>["'\`])(?<value>[^\\s"'\`]{5,512})\\k<quote>`, 'gi')),
  guessed(
    'password',
    new RegExp(`${NAME}${ASSIGNED}(?<value>(?=${BARE}{0,64}\\d)${BARE}{8,512})(?![^\\s"'\`,;&<>)\\]}])`, 'gi'),
  ),
];
