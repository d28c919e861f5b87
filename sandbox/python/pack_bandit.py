"""Packs bandit, PyYAML, our starter and what they use of the standard library into one file of byte code.

Run by the image's own Python, whose byte code it is.

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

# Runs bandit once as in the image, and prints the modules that came from files of the standard library.
TRACE = """
import sys
started = set(sys.modules)
sys.path[:0] = sys.argv[1:3]
import bandit_start
sys.argv = ['bandit', '-q', '-f', 'json', '-o', sys.argv[3] + '.json', sys.argv[3]]
try:
    bandit_start.main()
except SystemExit:
    pass
for name, module in sorted(sys.modules.items()):
    spec = getattr(module, '__spec__', None)
    if name not in started and spec and spec.origin and spec.origin.startswith(sys.prefix + '/lib/python3') and spec.origin.endswith('.py'):
        print(name, spec.origin)
"""

# One finding makes bandit load what it reports with.
SAMPLE = 'import pickle\npassword = "hunter2hunter2"\npickle.loads(password)\n'


def main(site, starter, output):
    modules = {}
    for package in ('bandit', 'yaml'):
        for path in sorted((site / package).rglob('*.py')):
            parts = path.relative_to(site).with_suffix('').parts
            is_package = parts[-1] == '__init__'
            name = '.'.join(parts[:-1] if is_package else parts)
            modules[name] = packed(is_package, f'/opt/bandit/{path.relative_to(site)}', path.read_bytes())
    modules['bandit_start'] = packed(False, '/opt/bandit/bandit_start.py', starter.read_bytes())
    table = plugin_table(site)
    modules['bandit_plugins'] = packed(False, '/opt/bandit/bandit_plugins.py', table.encode())
    for name, origin in standard_modules(site, starter, table).items():
        modules[name] = packed(Path(origin).name == '__init__.py', origin, Path(origin).read_bytes())
    output.write_bytes(marshal.dumps(dict(sorted(modules.items()))))


def packed(is_package, file_name, source):
    return is_package, file_name, compile(source, file_name, 'exec', dont_inherit=True)


def standard_modules(site, starter, table):
    """{module name: source file} of what a run of bandit loads from the standard library."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / 'bandit_plugins.py').write_text(table)
        (Path(folder) / starter.name).write_bytes(starter.read_bytes())
        sample = Path(folder) / 'sample.py'
        sample.write_text(SAMPLE)
        run = subprocess.run(
            [sys.executable, '-I', '-S', '-B', '-c', TRACE, folder, str(site), str(sample)],
            capture_output=True,
            text=True,
            check=False,
        )
        report = Path(f'{sample}.json')
        if run.returncode != 0 or not report.exists() or not json.loads(report.read_text())['results']:
            sys.exit(f'bandit did not run from its packed parts: {run.stderr[-2000:]}')
        return dict(line.split(' ', 1) for line in run.stdout.splitlines())


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
