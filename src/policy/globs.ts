import picomatch from 'picomatch';

/**
 * A test for paths from the root of the repository. `**` is anything, `**` + slash is zero or more folders, `*` stays
 * within a folder, `?` is one character but no slash; everything else is itself. Names that start with a dot count.
 */
export function toPathMatcher(globs: readonly string[]): (path: string) => boolean {
  const patterns = globs.flatMap(expand).map(quote);
  if (patterns.length === 0) return () => false;
  // One expression: picomatch's own test of a list asks for each pattern apart, with much ado around each.
  const whole = new RegExp(patterns.map(pattern => picomatch.makeRe(pattern, OPTIONS).source).join('|'), OPTIONS.flags);
  return path => whole.test(path);
}

// `s` and `u`: names may hold newlines and characters outside the basic plane.
const OPTIONS = { dot: true, nonegate: true, nobrace: true, noextglob: true, keepQuotes: true, flags: 'su' } as const;

/** Stars that cross folders from within a name, in one glob; more are read as `*`, so that forms stay few. */
const MAX_CROSSING = 4;

/** picomatch reads `a**b` as `a*b`: spell out that the stars may also cross folders. */
function expand(glob: string): string[] {
  let crossing = 0;
  let forms = [''];
  for (const [index, segment] of glob
    .replace(/\*{3,}/g, '**')
    .split('/')
    .entries()) {
    const lead = index === 0 ? '' : '/';
    if (segment === '**') {
      forms = forms.map(form => `${form}${lead}**`);
      continue;
    }
    const [first = '', ...rest] = segment.split('**');
    forms = forms.map(form => `${form}${lead}${first}`);
    for (const part of rest) {
      crossing += 1;
      const stars = crossing > MAX_CROSSING ? ['*'] : ['*', '*/**/*'];
      forms = forms.flatMap(form => stars.map(star => `${form}${star}${part}`));
    }
  }
  return forms;
}

const quote = (glob: string): string => glob.replace(/[\\()[\]{}^$|+]/g, '\\$&');
