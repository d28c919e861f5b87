"""Packs bandit, PyYAML and our starter into one uncompressed zip of byte code; run by the image's own Python.

usage: pack_bandit.py SITE STARTER OUTPUT.zip
"""

import configparser
import email
import importlib.util
import marshal
import sys
import zipfile
from pathlib import Path

# Byte code in a zip is never compared with a source: flag 1 = hash-based, bit 2 unset = unchecked.
HEADER = importlib.util.MAGIC_NUMBER + (1).to_bytes(4, 'little') + bytes(8)


def main(site, starter, output):
    sources = {path.relative_to(site).as_posix(): path.read_bytes() for path in sorted(wanted_files(site))}
    sources[starter.name] = starter.read_bytes()
    sources['bandit_plugins.py'] = plugin_table(site).encode()
    with zipfile.ZipFile(output, 'w', zipfile.ZIP_STORED) as archive:
        for name in sorted(sources):
            code = compile(sources[name], f'/opt/bandit/{name}', 'exec', dont_inherit=True)
            entry = zipfile.ZipInfo(f'{name}c', (1980, 1, 1, 0, 0, 0))
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, HEADER + marshal.dumps(code))


def wanted_files(site):
    for package in ('bandit', 'yaml'):
        yield from (site / package).rglob('*.py')


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
        sys.exit('usage: pack_bandit.py SITE STARTER OUTPUT.zip')
    main(Path(sys.argv[1]), Path(sys.argv[2]), Path(sys.argv[3]))
