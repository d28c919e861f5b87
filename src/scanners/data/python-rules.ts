import type { Severity } from '../../core/finding.ts';

/** What ruff's S rules and bandit's B tests do not say themselves. Both number the same checks alike. */
export interface RuleFacts {
  readonly title: string;
  readonly severity: Severity;
  /** 0..1 */
  readonly confidence: number;
  readonly cwe: readonly string[];
  readonly help?: string;
}

type Row = readonly [title: string, severity: Severity, confidence: number, cwe: readonly number[], help?: string];

const XML_HELP = 'Parse untrusted XML with the defusedxml package.';
const PICKLE_HELP = 'Exchange data as JSON; unpickle only what this program itself wrote and signed.';

const ROWS: Readonly<Record<number, Row>> = {
  101: ['Check done by assert', 'info', 0.3, [703], 'Raise an exception: assert statements vanish under python -O.'],
  102: [
    'Use of exec',
    'medium',
    0.6,
    [78, 95],
    'Replace exec by a table of functions or a parser for the format at hand.',
  ],
  103: ['Permissive file mode', 'medium', 0.7, [732], 'Give only the owner write access, for example 0o600 or 0o750.'],
  104: ['Service bound to all interfaces', 'medium', 0.5, [605], 'Bind to 127.0.0.1 or make the address a setting.'],
  105: ['Hard-coded password', 'low', 0.4, [259, 798], 'Read the password from the environment or a secret store.'],
  106: [
    'Hard-coded password in a call',
    'low',
    0.4,
    [259, 798],
    'Read the password from the environment or a secret store.',
  ],
  107: [
    'Hard-coded password as default',
    'low',
    0.4,
    [259, 798],
    'Drop the default and read the password from a secret store.',
  ],
  108: [
    'Predictable temporary file',
    'medium',
    0.4,
    [377],
    'Use the tempfile module, which makes names that cannot be guessed.',
  ],
  110: ['Exception swallowed', 'info', 0.3, [703, 390], 'Handle or log the exception.'],
  112: ['Exception skipped in a loop', 'info', 0.3, [703, 390], 'Handle or log the exception before going on.'],
  113: ['Request without a timeout', 'medium', 0.5, [400], 'Pass timeout= in seconds.'],
  201: [
    'Flask in debug mode',
    'high',
    0.8,
    [94],
    'Never set debug=True outside development: the debugger runs any code.',
  ],
  202: [
    'Archive unpacked without checks',
    'high',
    0.6,
    [22],
    'Pass filter="data" to extractall, or check every member\'s path.',
  ],
  301: ['Unpickling of data', 'medium', 0.6, [502], PICKLE_HELP],
  302: ['Unmarshalling of data', 'medium', 0.6, [502], PICKLE_HELP],
  303: ['Weak hash function', 'medium', 0.7, [327, 328], 'Use hashlib.sha256, or a password hash for passwords.'],
  304: ['Weak cipher', 'high', 0.8, [327], 'Use AES-GCM or ChaCha20-Poly1305.'],
  305: ['Weak cipher mode', 'medium', 0.7, [327], 'Use an authenticated mode such as GCM.'],
  306: ['Predictable temporary file name', 'medium', 0.8, [377], 'Use tempfile.mkstemp or NamedTemporaryFile.'],
  307: ['Use of eval', 'medium', 0.6, [78, 95], 'Use ast.literal_eval for data, or a parser for expressions.'],
  308: ['Markup declared safe', 'medium', 0.5, [79, 80], 'Escape the value, or build markup with format_html.'],
  310: [
    'URL opened without a check of its scheme',
    'medium',
    0.4,
    [22, 918],
    'Allow only https before opening, file: URLs read local files.',
  ],
  311: [
    'Predictable random numbers',
    'low',
    0.4,
    [330, 338],
    'Use the secrets module where the value protects something.',
  ],
  312: ['Telnet client', 'high', 0.7, [319], 'Use SSH.'],
  313: ['XML parsed unsafely', 'medium', 0.5, [20, 611], XML_HELP],
  314: ['XML parsed unsafely', 'medium', 0.5, [20, 611], XML_HELP],
  315: ['XML parsed unsafely', 'medium', 0.5, [20, 611], XML_HELP],
  316: ['XML parsed unsafely', 'medium', 0.5, [20, 611], XML_HELP],
  317: ['XML parsed unsafely', 'medium', 0.5, [20, 611], XML_HELP],
  318: ['XML parsed unsafely', 'medium', 0.5, [20, 611], XML_HELP],
  319: ['XML parsed unsafely', 'medium', 0.5, [20, 611], XML_HELP],
  320: ['XML parsed unsafely', 'medium', 0.5, [20, 611], XML_HELP],
  321: ['FTP client', 'high', 0.7, [319], 'Use SFTP or HTTPS.'],
  323: ['TLS context without verification', 'medium', 0.8, [295], 'Use ssl.create_default_context().'],
  324: [
    'Weak hash function',
    'high',
    0.7,
    [327, 328],
    'Use sha256; for other than security pass usedforsecurity=False.',
  ],
  401: ['Import of telnetlib', 'info', 0.3, [319], 'Use SSH.'],
  402: ['Import of ftplib', 'info', 0.3, [319], 'Use SFTP or HTTPS.'],
  403: ['Import of a pickle module', 'info', 0.2, [502], PICKLE_HELP],
  404: ['Import of subprocess', 'info', 0.1, [78]],
  405: ['Import of an XML parser', 'info', 0.2, [20, 611], XML_HELP],
  406: ['Import of an XML parser', 'info', 0.2, [20, 611], XML_HELP],
  407: ['Import of an XML parser', 'info', 0.2, [20, 611], XML_HELP],
  408: ['Import of an XML parser', 'info', 0.2, [20, 611], XML_HELP],
  409: ['Import of an XML parser', 'info', 0.2, [20, 611], XML_HELP],
  410: ['Import of an XML parser', 'info', 0.2, [20, 611], XML_HELP],
  411: ['Import of an XML-RPC module', 'info', 0.3, [20, 611], XML_HELP],
  412: ['CGI handler open to httpoxy', 'high', 0.6, [284], 'Use a WSGI server.'],
  413: ['Import of PyCrypto', 'high', 0.7, [327], 'Use the cryptography package; PyCrypto is unmaintained.'],
  415: ['Import of pyghmi', 'medium', 0.5, [319], 'IPMI is insecure; keep it on a separate network.'],
  501: [
    'Certificate check switched off',
    'high',
    0.9,
    [295],
    'Leave verify at True or give the path of the right CA bundle.',
  ],
  502: ['Obsolete TLS version', 'high', 0.8, [327], 'Use ssl.PROTOCOL_TLS_CLIENT with its defaults.'],
  503: ['Obsolete TLS version as default', 'medium', 0.7, [327], 'Use ssl.PROTOCOL_TLS_CLIENT with its defaults.'],
  504: ['TLS version left open', 'low', 0.6, [327], 'Use ssl.create_default_context().'],
  505: ['Weak key', 'medium', 0.8, [326], 'Use RSA of 2048 bits or more, or an elliptic curve of 256.'],
  506: ['Unsafe YAML load', 'medium', 0.8, [20, 502], 'Use yaml.safe_load.'],
  507: ['SSH host key not verified', 'high', 0.8, [295], 'Load known hosts and reject unknown keys.'],
  508: ['SNMP version without encryption', 'medium', 0.7, [319], 'Use SNMPv3.'],
  509: ['SNMPv3 without encryption', 'medium', 0.7, [319], 'Set authKey and privKey.'],
  601: ['Command run through paramiko', 'medium', 0.4, [78], 'Quote every argument with shlex.quote.'],
  602: ['Shell command through subprocess', 'high', 0.8, [78], 'Pass a list of arguments and leave shell at False.'],
  603: ['Subprocess started', 'info', 0.2, [78], 'Check that no argument comes from a user.'],
  604: ['Function called with shell=True', 'medium', 0.5, [78], 'Pass a list of arguments and leave shell at False.'],
  605: ['Process started through a shell', 'high', 0.7, [78], 'Use subprocess.run with a list of arguments.'],
  606: ['Process started', 'info', 0.2, [78], 'Check that no argument comes from a user.'],
  607: ['Program started by partial path', 'info', 0.3, [78, 426], 'Give the full path of the program.'],
  608: ['SQL built from strings', 'medium', 0.5, [89], 'Use placeholders and pass the values apart.'],
  609: ['Wildcard in a shell command', 'high', 0.6, [155], 'List the files in Python and pass them as arguments.'],
  610: ['Django extra() in a query', 'medium', 0.5, [89], 'Use annotate or parameters of raw().'],
  611: ['Django RawSQL', 'medium', 0.5, [89], 'Use parameters instead of building the SQL text.'],
  612: ['Logging configuration from the network', 'medium', 0.7, [94], 'Call listen() with verify= or not at all.'],
  613: ['Bidirectional control characters', 'high', 0.8, [838], 'Remove the control characters.'],
  614: ['Unsafe load of a PyTorch model', 'medium', 0.6, [502], 'Pass weights_only=True.'],
  615: ['Model downloaded without a pinned revision', 'medium', 0.6, [494], 'Pass revision= with a commit.'],
  701: ['Templates without autoescape', 'high', 0.7, [94, 79], 'Pass autoescape=select_autoescape().'],
  702: ['Mako templates', 'medium', 0.5, [80, 79], 'Filter every value with |h.'],
  703: ['Markup declared safe', 'medium', 0.5, [80, 79], 'Escape the value, or build markup with format_html.'],
  704: ['Markup made from a value', 'medium', 0.6, [79], 'Escape the value before wrapping it in Markup.'],
};

/** Facts of `S602` or `B602`; a number that is not in the table is a medium finding without a class. */
export function pythonRule(code: string): RuleFacts {
  const row = ROWS[Number(code.slice(1))];
  if (row === undefined)
    return { title: `Python security check ${code}`, severity: 'medium', confidence: 0.4, cwe: [] };
  const [title, severity, confidence, cwe, help] = row;
  const facts = { title, severity, confidence, cwe: cwe.map(id => `CWE-${id}`) };
  return help === undefined ? facts : { ...facts, help };
}
