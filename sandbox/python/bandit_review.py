"""What bandit's command line does for the one command our scanner gives, without the rest of it.

usage: -r TARGET... --ini INI -x '' --ignore-nosec -f json -q --exit-zero
"""

import gc
import sys

# The ini only keeps bandit from obeying one among its targets.
EMPTY_INI = '[bandit]\n'
BEFORE = ['-r']
AFTER = ['-x', '', '--ignore-nosec', '-f', 'json', '-q', '--exit-zero']

# Trees hold no circles, but what fails may leave some.
COLLECT_AFTER = 16 << 20


def targets_of(arguments):
    """The targets of exactly our command, or None."""
    end = len(arguments) - len(AFTER) - 2
    if end < 2 or arguments[:1] != BEFORE or arguments[end] != '--ini' or arguments[end + 2 :] != AFTER:
        return None
    targets = arguments[1:end]
    if any(target.startswith('-') for target in targets):
        return None
    try:
        with open(arguments[end + 1]) as ini:
            return targets if ini.read(len(EMPTY_INI) + 1) == EMPTY_INI else None
    except (OSError, ValueError):
        return None


def review(targets):
    """Prints the report on all Python files below targets."""
    import logging
    import warnings

    from bandit.core import config, constants, manager

    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter(constants.log_format_string))
    logging.getLogger().addHandler(handler)
    logging.getLogger().setLevel(logging.WARNING)
    # bandit prints what Python says of the scanned source; nobody reads it.
    warnings.simplefilter('ignore')

    run = manager.BanditManager(
        config.BanditConfig(), 'file', quiet=True, profile={'include': set(), 'exclude': set()}, ignore_nosec=True
    )
    run.discover_files(targets, True, '')
    scan(run, logging.getLogger('bandit.core.manager'))
    run.output_results(3, 'UNDEFINED', 'UNDEFINED', sys.stdout, 'json')


def scan(run, log):
    """BanditManager.run_tests."""
    import bandit
    from bandit_tester import Rules
    from bandit_triggers import CallTriggers, StringTriggers, unknown

    tests = run.b_ts.tests
    reason = unknown(bandit.__version__, tests)
    if reason is not None:
        sys.exit(reason)
    rules = Rules(tests, CallTriggers(tests['Call']), StringTriggers(tests['Str']))
    seen = 0
    for name in run.files_list:
        try:
            with open(name, 'rb') as file:
                seen += scan_file(run, rules, name, file, log)
        except OSError as error:
            run.skipped.append((name, error.strerror))
        if seen > COLLECT_AFTER:
            gc.collect()
            seen = 0
    run.metrics.aggregate()


def scan_file(run, rules, name, file, log):
    """BanditManager._parse_file. Returns the file's size."""
    from bandit_visitor import Visitor

    data = b''
    try:
        data = file.read()
        run.metrics.begin(name)
        run.metrics.current['loc'] = count_lines(data)
        visitor = Visitor(rules, name, file)
        visitor.process(data)
        run.results.extend(visitor.results)
        run.metrics.count_issues([visitor.scores])
        if visitor.overflowed:
            run.skipped.append((name, 'exception while scanning file'))
    except SyntaxError:
        run.skipped.append((name, 'syntax error while parsing AST from file'))
    except Exception:
        log.error('Exception occurred when executing tests against %s.', name)
        log.error('Run "bandit --debug %s" to see the full traceback.', name)
        run.skipped.append((name, 'exception while scanning file'))
    return len(data)


def count_lines(data):
    """Lines that are neither empty nor only a comment."""
    stripped = map(bytes.strip, data.splitlines())
    return sum(1 for line in stripped if line and line[0] != HASH)


HASH = ord('#')
