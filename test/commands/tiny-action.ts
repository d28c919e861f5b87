import { copyFileSync, cpSync, linkSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
const REAL_HOME = process.env['CYPHERFIX_HOME'] ?? '/var/lib/cypherfix';

/** The real set-up, but for what the image holds: no Debian and no tools, since the way of an image is under test. */
const TINY_CLASS = `
CLASS_PACKAGES=()
CLASS_INPUTS=()
CLASS_ENV=(PATH=/bin)
build_base() { mkdir -p "$1/bin"; head -c 300000 /dev/zero >"$1/bin/filler"; echo '[]' >"$1.debian.json"; }
add_user() { :; }
compile_python() { :; }
strip_base() { :; }
class_stage() { echo "$BASHPID" >>"$CYPHERFIX_HOME/builds"; [[ ! -e $CYPHERFIX_HOME/slow ]] || sleep 61; }
class_check() { echo 'filler 1' >"$1.tools"; }
`;

export interface TinyAction {
  /** Root of the action. */
  path: string;
  /** $CYPHERFIX_HOME, with runsc in it. */
  home: string;
  /** A machine without state, as the next job finds it. */
  forget(): void;
  countBuilds(): number;
  dispose(): void;
}

/** A copy of the action whose images `scanners` and `node` are built in a moment, whose `java` cannot be, and a home of its own for it. */
export function createTinyAction(): TinyAction {
  const root = mkdtempSync(join(tmpdir(), 'cft-'));
  const path = join(root, 'action');
  const home = join(root, 'home');
  mkdirSync(path);
  // Copied, not linked: the program takes the folder that its file really lies in for the action.
  for (const name of ['sandbox', 'dist']) cpSync(join(REPOSITORY, name), join(path, name), { recursive: true });
  for (const name of ['scanners', 'node']) writeFileSync(join(path, `sandbox/classes/${name}.sh`), TINY_CLASS);
  writeFileSync(
    join(path, 'sandbox/classes/java.sh'),
    TINY_CLASS.replace('class_stage() {', 'class_stage() { exit 70;'),
  );
  const forget = () => {
    rmSync(home, { recursive: true, force: true });
    mkdirSync(join(home, 'bin'), { recursive: true });
    linkOrCopy(join(REAL_HOME, 'bin/runsc'), join(home, 'bin/runsc'));
    copyFileSync(join(REAL_HOME, 'runsc.json'), join(home, 'runsc.json'));
  };
  forget();
  return {
    path,
    home,
    forget,
    countBuilds: () => readLines(join(home, 'builds')),
    dispose: () => rmSync(root, { recursive: true, force: true }),
  };
}

function readLines(file: string): number {
  try {
    return readFileSync(file, 'utf8').split('\n').length - 1;
  } catch {
    return 0;
  }
}

function linkOrCopy(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  try {
    linkSync(from, to);
  } catch {
    copyFileSync(from, to);
  }
}
