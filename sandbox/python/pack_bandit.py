"""Packs bandit, PyYAML, our starter and what they use of the standard library into two files of byte code.

Run by the image's own Python, whose byte code it is. STARTER is the folder with bandit_start.py and what it imports.
OUTPUT gets modules.bin and other.bin, as run.py expects them.

usage: pack_bandit.py SITE STARTER OUTPUT
"""

import configparser
import email
import json
import marshal
import subprocess
import sys
import tempfile
from pathlib import Path

# Runs bandit once as in the image, and prints the modules that it loaded and where they came from.
TRACE = """
import os, sys
started = set(sys.modules)
sys.path[:0] = sys.argv[1:3]
import bandit_start
sys.argv = ['bandit', *sys.argv[3:]]
def report(*status):
    for name, module in sorted(sys.modules.items()):
        spec = getattr(module, '__spec__', None)
        if name not in started and spec and spec.origin and spec.origin.endswith('.py'):
            print(name, spec.origin, file=sys.stderr)
    sys.stderr.flush()
os._exit = report
try:
    bandit_start.main()
except SystemExit as end:
    if end.code:
        raise
    report()
"""

# Findings and files that cannot be read, so that what bandit reports with is loaded too.
SAMPLES = {
    'sample.py': 'import pickle\npassword = "hunter2hunter2"\npickle.loads(password)\n',
    'sample_latin.py': '# coding: latin-1\nx = "\\xe9"\n',
    'sample_wrong.py': 'def (\n',
}

STARTER = ('bandit_start', 'bandit_review', 'bandit_tester', 'bandit_triggers', 'bandit_visitor')


def main(site, starter, output):
    sources = {}
    for package in ('bandit', 'yaml'):
        for path in sorted((site / package).rglob('*.py')):
            parts = path.relative_to(site).with_suffix('').parts
            is_package = parts[-1] == '__init__'
            name = '.'.join(parts[:-1] if is_package else parts)
            sources[name] = is_package, f'/opt/bandit/{path.relative_to(site)}', path.read_bytes()
    for name in STARTER:
        sources[name] = False, f'/opt/bandit/{name}.py', (starter / f'{name}.py').read_bytes()
    sources['bandit_plugins'] = False, '/opt/bandit/bandit_plugins.py', plugin_table(site).encode()

    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for name in (*STARTER, 'bandit_plugins'):
            (folder / f'{name}.py').write_bytes(sources[name][2])
        (folder / 'bandit.ini').write_text('[bandit]\n')
        (folder / 'samples').mkdir()
        for name, text in SAMPLES.items():
            (folder / 'samples' / name).write_text(text, encoding='latin-1')
        ours = ['-r', f'{folder}/samples', '--ini', f'{folder}/bandit.ini', '-x', '', '--ignore-nosec', '-f', 'json', '-q', '--exit-zero']
        used, report = trace(folder, site, ours)
        also_used, expected = trace(folder, site, [*ours, '--severity-level', 'all'])
    if report != expected or len(report['results']) != 3:
        sys.exit(f'our starter finds {report}, bandit itself {expected}')

    for name, origin in {**also_used, **used}.items():
        if name not in sources:
            sources[name] = Path(origin).name == '__init__.py', origin, Path(origin).read_bytes()
    modules, other = {}, {}
    for name, (is_package, file_name, source) in sorted(sources.items()):
        code = compile(source, file_name, 'exec', dont_inherit=True)
        if name not in used:
            other[name] = marshal.dumps(code)
        modules[name] = is_package, file_name, code if name in used else None
    (output / 'modules.bin').write_bytes(marshal.dumps(modules))
    (output / 'other.bin').write_bytes(marshal.dumps(other))


def trace(folder, site, arguments):
    """{module: source file} of what a run of bandit loads, and its report."""
    # As a file: -c loads modules of its own first.
    (folder / 'trace.py').write_text(TRACE)
    command = [sys.executable, '-I', '-S', '-B', folder / 'trace.py', folder, site, *arguments]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    if run.returncode != 0:
        sys.exit(f'bandit did not run from its parts: {run.stderr[-2000:]}')
    report = json.loads(run.stdout)
    del report['generated_at']
    return dict(line.split(' ', 1) for line in run.stderr.splitlines() if line.endswith('.py')), report


def plugin_table(site):
    """The source of bandit_plugins: the entry points of the installed bandit, and its metadata."""
    info = next(site.glob('bandit-*.dist-info'))
    points = configparser.ConfigParser(delimiters=('=',))
    points.optionxform = str
    points.read_string((info / 'entry_points.txt').read_text())
    table = {
        section: [pair for pair in points.items(section) if section != 'bandit.formatters' or pair[0] == 'json']
        for section in points.sections()
        if section.startswith('bandit.')
    }
    metadata = email.message_from_string((info / 'METADATA').read_text())
    kept = {key: metadata[key] for key in ('Author', 'Version')}
    return f'TABLE = {table!r}\nMETADATA = {kept!r}\n'


if __name__ == '__main__':
    if len(sys.argv) != 4:
        sys.exit('usage: pack_bandit.py SITE STARTER OUTPUT')
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))
