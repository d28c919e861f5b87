/** Python that asks for each of bandit's tests in many ways: file name → source. */
export type Sources = Readonly<Record<string, string | Buffer>>;

const MODULES =
  'flask django.utils.safestring django.db.models yaml torch tarfile paramiko transformers datasets huggingface_hub ' +
  'pickle cPickle subprocess telnetlib ftplib xml.etree.ElementTree xml.sax xml.dom.minidom lxml jinja2 mako ' +
  'hashlib crypt ssl requests httpx os importlib Crypto.PublicKey Crypto.Cipher Cryptodome.Hash pysnmp.hlapi ' +
  'markupsafe logging.config xmlrpc.client wsgiref.handlers dill shelve jsonpickle pandas marshal random pyghmi';

const CALLED =
  'exec eval input os.chmod path.fchmod archive.extractall extractall app.run run requests.get requests.request ' +
  'httpx.get httpx.Client hashlib.md4 hashlib.md5 hashlib.sha hashlib.sha1 hashlib.new hashlib.sha256 crypt.crypt crypt.mksalt yaml.load ' +
  'ruamel.yaml.load load torch.load ssl.wrap_socket pyOpenSSL.SSL.Context connect jinja2.Environment Environment ' +
  'mako.template.Template Template mark_safe django.utils.safestring.mark_safe SafeText SafeUnicode SafeString SafeBytes RawSQL models.RawSQL ' +
  'objects.filter().extra extra client.exec_command client.set_missing_host_key_policy ' +
  'pysnmp.hlapi.CommunityData pysnmp.hlapi.UsmUserData markupsafe.Markup flask.Markup Markup ' +
  'transformers.AutoModel.from_pretrained datasets.load_dataset huggingface_hub.snapshot_download ' +
  'huggingface_hub.hf_hub_download huggingface_hub.repository_id ' +
  'subprocess.Popen subprocess.run subprocess.getoutput os.system os.popen os.execl os.spawnlp popen Popen ' +
  'cryptography.hazmat.primitives.asymmetric.dsa.generate_private_key ' +
  'cryptography.hazmat.primitives.asymmetric.rsa.generate_private_key ' +
  'cryptography.hazmat.primitives.asymmetric.ec.generate_private_key Crypto.PublicKey.RSA.generate ' +
  'logging.config.listen pickle.loads marshal.load tempfile.mktemp random.random urllib.request.urlopen ' +
  'xml.sax.parse Crypto.Cipher.DES.new Crypto.Hash.MD5.new ftplib.FTP telnetlib.Telnet ssl._create_unverified_context ' +
  '__import__ importlib.import_module importlib.__import__ f().load a[0].run (lambda:0) "{}".format self.x.y.z';

const ARGUMENTS = [
  '',
  'x',
  '"pickle"',
  '"telnetlib", x',
  'name="xml.sax"',
  '"ls -l"',
  '"/bin/ls " + x',
  '"chmod 777 *"',
  '["tar", "*"], shell=True',
  '"tar cf a *", shell=True',
  'x, shell=True',
  'x, shell=False',
  'x, shell="yes"',
  'x, shell=[]',
  'x, shell={1: 2}',
  'x, shell=y()',
  'path, 0o777',
  '"a", 0o644',
  'path, mode',
  'path, stat.S_IRWXU',
  'x, verify=False',
  'x, timeout=None',
  'x, timeout=5, verify=True',
  'debug=True',
  'ssl_version=ssl.PROTOCOL_SSLv3',
  'method=SSL.SSLv2_METHOD',
  'x, Loader=yaml.SafeLoader',
  'x, SafeLoader',
  'x, Loader',
  'members=safe(tar)',
  'members=names',
  'members=a.b()',
  'filter="data"',
  'filter=f',
  'autoescape=False',
  'autoescape=jinja2.select_autoescape()',
  'autoescape=x',
  '"md5"',
  '"METHOD_MD5"',
  '"sha256"',
  'name="SHA1", usedforsecurity=False',
  'x, "METHOD_MD5"',
  'x, salt="METHOD_CRYPT"',
  'key_size=1024',
  '3, 512',
  '"big", "big"',
  'ec.SECT163K1',
  'curve=ec.SECP192R1',
  'bits=4096',
  'x, revision="main"',
  'x, revision="abcdef0123"',
  '"./local"',
  'x, weights_only=True',
  'mpModel=0',
  'a, b',
  'a, b, c',
  'AutoAddPolicy',
  'paramiko.WarningPolicy()',
  'select={"a": "b"}',
  'where=["%s" % x]',
  'tables=x, select=y',
  '"%s" % x',
  '"{}".format(x)',
  '*args, **kwargs',
  '**{"password": 1}',
  'password="hunter2"',
  'my_token="x", api="y"',
  '{[1]}, shell=True',
  'password=None, secret=b"x"',
];

const NAMES = [
  'password',
  'PASSWD',
  'pwd_x',
  'my_token',
  'token_of',
  'secrete',
  'toKen',
  'tokens',
  'xpwdx',
  '_pass_phrase_',
];
const STRINGS = [
  '"0.0.0.0"',
  '"0.0.0.0:80"',
  '"/tmp"',
  '"/var/tmp/x"',
  '"/dev/shm"',
  '""',
  '"my_secret"',
  'u"token"',
  'b"/tmp"',
  '"SELECT a FROM b WHERE c = "',
  '"delete  from x "',
  '"INSERT INTO t VALUES ("',
  '"""update t\n  set a = """',
];

/** Where a string can stand; NAME and TEXT are filled in. */
const PLACES = [
  'NAME = TEXT',
  'a.NAME = b = TEXT',
  '(NAME, b) = TEXT, 1',
  'NAME: str = TEXT',
  'NAME += TEXT',
  'x["NAME"] = TEXT',
  'x[TEXT] = "x"',
  'x = {TEXT: "a", "NAME": TEXT, "NAME": y, **z}',
  'if NAME == TEXT: pass',
  'if a.NAME != TEXT or "x" == NAME: pass',
  'if x == NAME == TEXT: pass',
  'assert NAME == TEXT, TEXT',
  'TEXT',
  'x = TEXT + y',
  'x = TEXT % y',
  'x = "a" + (TEXT + "b") + NAME + f(TEXT + c)',
  'cursor.execute(TEXT + NAME)',
  'cursor.executemany(TEXT % (NAME, "x"))',
  'db.execute(TEXT.format(NAME))',
  'execute(TEXT.replace("a", NAME))',
  'x = TEXT.join(y)',
  'cursor.execute(f"select {NAME} from {t} where " f"{x!r:>{w}}")',
  'x = f"{a} select * from t {NAME["x"]} {"/tmp"}"',
  'x = [TEXT for NAME in y if NAME == TEXT]',
  'x = lambda NAME=TEXT, *, b=TEXT: TEXT',
  'def f(a, NAME=TEXT, b=None, *, NAME2=TEXT) -> TEXT:\n    "doc"\n    return TEXT',
  'def f(NAME: str, /, b="x", m=ssl.PROTOCOL_SSLv3, n=TLSv1_METHOD): return f(TEXT, k=TEXT)',
  'async def f(NAME=TEXT):\n    async with open(TEXT) as NAME:\n        return await g(TEXT)',
  '@decorated(TEXT)\nclass C[T: TEXT](B, k=TEXT):\n    "doc"\n    NAME = TEXT\n    def f(self, NAME=TEXT): exec(self)',
  'type A[T = TEXT, *U = TEXT, **V = TEXT] = TEXT',
  'def f(NAME: TEXT, *a: TEXT):\n    b = yield TEXT\n    yield from f(TEXT)\n    return [TEXT, *TEXT, {TEXT}, -f(TEXT)]',
  'x = {f(TEXT) for a in b}, {a: TEXT for a in TEXT}, all(TEXT for a in b), b[TEXT : f(TEXT)], (TEXT if TEXT else TEXT)',
  'async def f():\n    async for NAME in f(TEXT): pass',
  'match x:\n    case TEXT | {"NAME": "/tmp"} if NAME == TEXT:\n        y = TEXT\n    case ["/tmp", C("/tmp", k="token") as q, *_]:\n        exec(y)',
  'with open(TEXT) as NAME, TEXT:\n    pass',
  'try:\n    x\nexcept Exception:\n    pass\nexcept (A, B):\n    pass\nexcept C as NAME:\n    "doc"\nfinally:\n    y = TEXT',
  'for NAME in TEXT:\n    try:\n        x\n    except:\n        continue\nelse:\n    exec(TEXT)',
  'try:\n    exec(x)\nexcept* A:\n    ...',
  'while (NAME := TEXT): del x[TEXT]; raise X(TEXT) from TEXT',
];

export function generatedSources(): Sources {
  const modules = MODULES.split(' ');
  const imports = modules.flatMap((name, i) => [
    `import ${name}`,
    `import os, ${name} as m${i}, sys`,
    `from ${name} import (thing,\n  other as o${i})`,
    `from .${name} import x as exec${i}`,
  ]);
  const calls = CALLED.split(' ').map(
    (name, i) => [`c${i}.py`, ARGUMENTS.map(list => `${name}(${list})`).join('\n')] as const,
  );
  const strings = PLACES.map((place, i) => {
    const filled = NAMES.flatMap(name =>
      STRINGS.map(text => place.replaceAll('NAME', name).replaceAll('TEXT', () => text)),
    );
    return [`s${i}.py`, filled.join('\n')] as const;
  });
  const header = modules.map(name => `import ${name}\n`).join('');
  const aliases =
    'from os import system as run_it, popen\nimport subprocess as s\nfrom . import yaml as exec, x\nfrom .. import *\n' +
    'from a import b as __import__\nfrom pickle import loads\nrun_it("ls")\npopen(x)\ns.call(x, shell=True)\nexec(x)\n' +
    '__import__("pickle")\nloads(x)\nx.loads(y)\n# nosec\neval(x)  # nosec B307\n';
  return {
    'imports.py': imports.join('\n'),
    'aliases.py': aliases,
    ...Object.fromEntries(calls.map(([name, text]) => [`plain-${name}`, text])),
    ...Object.fromEntries(calls.map(([name, text]) => [name, header + text])),
    ...Object.fromEntries(strings.map(([name, text]) => [name, text])),
    'safe.py': `import django.utils.safestring\nfrom django.utils.safestring import mark_safe\n${SAFE}`,
  };
}

const SAFE = `
def f(given):
    a = "x"
    b = given
    c = d = "y" % a
    if b:
        b = "z"
    for a in b: mark_safe(a)
    mark_safe(a); mark_safe(b); mark_safe(c); mark_safe(given)
    mark_safe("{}".format(a)); mark_safe("%s" % b); mark_safe("%s %s" % (a, given)); mark_safe("{}".format(*[a, b]))
    mark_safe()
    class C:
        mark_safe(a)
        async def g(): mark_safe(a); mark_safe(x(a))
mark_safe(f)
`;
