import type { Severity } from '../../core/finding.ts';

/** gosec gives severity, confidence and class itself; here is what it lacks, and where its own level misleads. */
interface GosecFacts {
  readonly title: string;
  readonly severity?: Severity;
  readonly confidence?: number;
  readonly help?: string;
}

const ROWS: Readonly<Record<string, GosecFacts>> = {
  G101: {
    title: 'Hard-coded credentials',
    severity: 'medium',
    confidence: 0.4,
    help: 'Read the credential from the environment or a secret store.',
  },
  G102: { title: 'Service bound to all interfaces', help: 'Bind to 127.0.0.1 or make the address a setting.' },
  G103: {
    title: 'Use of unsafe',
    severity: 'info',
    help: 'Check that pointer arithmetic and layout are right on every platform.',
  },
  G104: { title: 'Error not checked', severity: 'info', help: 'Handle the error or assign it to _ on purpose.' },
  G106: {
    title: 'SSH host key not verified',
    severity: 'high',
    help: 'Use ssh.FixedHostKey or a known_hosts callback.',
  },
  G107: { title: 'Request to a variable URL', help: 'Check the host against a list before the request.' },
  G108: { title: 'Profiling endpoint exposed', help: 'Serve net/http/pprof on a private listener only.' },
  G109: { title: 'Integer overflow after Atoi', help: 'Parse with strconv.ParseInt and the bit size at hand.' },
  G110: { title: 'Decompression bomb', help: 'Copy with a limit: io.CopyN or io.LimitReader.' },
  G111: { title: 'Root folder served', help: 'Serve only the folder that is meant to be public.' },
  G112: { title: 'Server without header timeout', help: 'Set ReadHeaderTimeout.' },
  G114: { title: 'Server without timeouts', help: 'Use an http.Server with its timeouts set.' },
  G115: {
    title: 'Integer conversion may overflow',
    severity: 'low',
    confidence: 0.4,
    help: 'Check the range before converting.',
  },
  G116: { title: 'Bidirectional control characters', severity: 'high', help: 'Remove the control characters.' },
  G117: {
    title: 'Secret in a serialised struct',
    severity: 'low',
    confidence: 0.4,
    help: 'Tag the field with json:"-".',
  },
  G201: { title: 'SQL built with format verbs', severity: 'high', help: 'Use placeholders and pass the values apart.' },
  G202: { title: 'SQL built by concatenation', severity: 'high', help: 'Use placeholders and pass the values apart.' },
  G203: { title: 'Unescaped value in a template', help: 'Let html/template escape the value.' },
  G204: { title: 'Command with variable parts', help: 'Use a fixed program and check every argument.' },
  G301: { title: 'Permissive folder mode', help: 'Use 0o750 or less.' },
  G302: { title: 'Permissive file mode', help: 'Use 0o600 or less.' },
  G303: { title: 'Predictable temporary file', help: 'Use os.CreateTemp.' },
  G304: {
    title: 'File path from a variable',
    confidence: 0.5,
    help: 'Open below an os.Root, or check that the path stays inside its folder.',
  },
  G305: { title: 'Path traversal while unpacking', help: 'Refuse members whose path leaves the target folder.' },
  G306: { title: 'Permissive mode of a new file', help: 'Use 0o600 or less.' },
  G307: { title: 'Permissive mode of a new file', help: 'Use 0o600 or less.' },
  G401: { title: 'Weak hash function', help: 'Use SHA-256, or a password hash for passwords.' },
  G402: { title: 'Weak TLS settings', help: 'Leave InsecureSkipVerify false and MinVersion at TLS 1.2 or later.' },
  G403: { title: 'Weak RSA key', help: 'Use 2048 bits or more.' },
  G404: {
    title: 'Predictable random numbers',
    severity: 'medium',
    confidence: 0.5,
    help: 'Use crypto/rand where the value protects something.',
  },
  G405: { title: 'Weak cipher', help: 'Use AES-GCM or ChaCha20-Poly1305.' },
  G406: { title: 'Obsolete hash function', help: 'Use SHA-256.' },
  G407: { title: 'Fixed nonce or initialisation vector', help: 'Draw it from crypto/rand for each message.' },
  G501: { title: 'Import of crypto/md5', help: 'Use crypto/sha256.' },
  G502: { title: 'Import of crypto/des', help: 'Use crypto/aes with GCM.' },
  G503: { title: 'Import of crypto/rc4', help: 'Use crypto/aes with GCM.' },
  G504: { title: 'Import of net/http/cgi', help: 'Serve with net/http.' },
  G505: { title: 'Import of crypto/sha1', help: 'Use crypto/sha256.' },
  G506: { title: 'Import of an obsolete hash', help: 'Use crypto/sha256.' },
  G507: { title: 'Import of an obsolete hash', help: 'Use crypto/sha256.' },
  G601: { title: 'Address of a loop variable', help: 'Copy the variable inside the loop.' },
  G602: { title: 'Index out of range', help: 'Check the length before indexing.' },
  G701: {
    title: 'SQL injection',
    severity: 'high',
    confidence: 0.8,
    help: 'Use placeholders and pass the values apart.',
  },
  G702: {
    title: 'Command injection',
    severity: 'high',
    confidence: 0.8,
    help: 'Use a fixed program and check every argument.',
  },
  G703: {
    title: 'Path traversal',
    severity: 'high',
    confidence: 0.7,
    help: 'Open below an os.Root, or check that the path stays inside its folder.',
  },
  G704: {
    title: 'Request to a foreign server',
    severity: 'high',
    confidence: 0.7,
    help: 'Check the host against a list before the request.',
  },
  G705: { title: 'Cross-site scripting', severity: 'high', confidence: 0.7, help: 'Render through html/template.' },
  G706: {
    title: 'Log injection',
    severity: 'low',
    confidence: 0.5,
    help: 'Log the value with %q or as a structured field.',
  },
};

export function gosecRule(ruleId: string): GosecFacts {
  return ROWS[ruleId] ?? { title: `Go security check ${ruleId}` };
}
