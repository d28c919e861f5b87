import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { codeFence, codeSpan, plainText, sanitizeMarkdown, sanitizeTitle } from '../../src/core/untrusted.ts';
import { activeParts, toHtml } from './rendered-markdown.ts';

const repositoryUrl = 'https://github.com/octo/app';
const MARKER = '<!-- cypherfix:v1 finding 00 -->';

describe('what GitHub would act on', () => {
  it.each([
    ['a mention', 'ping @octocat and @octo/team'],
    ['a mention beside emphasis', '_@octocat_ **@octocat**'],
    ['a mention as an entity', '&#64;octocat &#x40;octocat &commat;octocat'],
    ['a mention behind an escaped backtick', '\\`@octocat`'],
    ['an address', 'mail root@example.com or mailto:root@example.com'],
    ['a reference', 'fixes #12, closes octo/app#12, resolves GH-12, _GH-12_'],
    ['a reference as an entity', '&#35;12 &num;12 GH&#45;12'],
    ['a commit', 'see deadbee, _deadbeef_ and octo@0123456789abcdef0123456789abcdef01234567'],
    ['an image', '![x](https://evil.example/p.png) ![](https://evil.example/p.png)'],
    [
      'a foreign link',
      '[click](https://evil.example/) <https://evil.example> www.evil.example https://evil.example/?q=1.',
    ],
    ['a script link', '[click](javascript:alert(1))'],
    ['a reference link', '[click][1]\n\n[1]: https://evil.example'],
    ['a link out of the repository', '[up](https://github.com/octo/app/../../evil/x)'],
    ['a link out of the repository, encoded', '[up](https://github.com/octo/app/%2e%2e/%2e%2e/evil)'],
    ['a link that starts alike', '[x](https://github.com/octo/app.evil/x) [x](https://github.com/octo/application)'],
    ['a link that refers to an issue', `${repositoryUrl}/issues/1 [x](${repositoryUrl}/pull/1)`],
    ['HTML', '<img src=x onerror=alert(1)> </details><h1>x</h1>'],
    ['a comment', `${MARKER} <!-- x`],
    ['a table that splits a code span', '`@octocat | x`\n:-:\n`@octocat | y`'],
    ['a table', 'a | b\n--|--\n`@octocat | x`'],
    ['a heading', '# x\n\nfoo\n---\n\nfoo\n==='],
    ['math', '$\\href{https://evil.example}{x}$ $`x`$'],
    ['a footnote', 'x[^1]\n\n[^1]: https://evil.example'],
    ['an indented block', '- a\n\n        ```\n        @octocat'],
    ['an open fence in a list', '- ```\n@octocat\n- ~~~\n@octocat'],
    [
      'words that a link joins',
      '#[1](x) GH-[1](x) @[octocat](x) dead[beef](x) www[.evil.example](x) https[://evil.example](x)',
    ],
    ['code spans that touch', '`x`deadbeef`y`'],
  ])('is text: %s', (_, text) => {
    const shown = sanitizeMarkdown(text, { repositoryUrl });
    expect(activeParts(toHtml(shown))).toEqual([]);
    expect(shown).not.toMatch(/<!--\s*cypherfix/);
    expect(activeParts(toHtml(`x ${sanitizeTitle(text)}`))).toEqual([]);
    expect(activeParts(toHtml(`x ${plainText(text)}`))).toEqual([]);
  });

  it('makes no image of an address of our own', () => {
    expect(toHtml(sanitizeMarkdown(`!${repositoryUrl}/blob/main/a.png`, { repositoryUrl }))).not.toContain('<img');
  });

  it('keeps code, emphasis, lists and links below the repository', () => {
    const text = `Use **\`exec\`** not _eval_:\n\n- a\n- b\n\n\`\`\`js\nf("@x")\n\`\`\`\nSee [the file](${repositoryUrl}/blob/main/a.ts#L3).`;
    expect(sanitizeMarkdown(text, { repositoryUrl })).toBe(text);
  });

  it('closes fences and outgrows the ones inside', () => {
    expect(sanitizeMarkdown('```js\nx')).toBe('```js\nx\n```');
    expect(codeFence('a\n````\nb', 'js')).toBe('`````js\na\n````\nb\n`````');
    expect(sanitizeMarkdown('~~~~\n```\nx\n~~~~\ny')).toBe('````\n```\nx\n````\ny');
  });

  it.each(['suggestion', 'mermaid', 'MATH'])('drops the language %s', language => {
    expect(sanitizeMarkdown(`\`\`\`${language}\nx\n\`\`\``)).toBe('```\nx\n```');
  });

  it('leaves no command at the start of a line, in code neither', () => {
    expect(sanitizeMarkdown('/merge\n```\n/merge\n```')).toBe('&#8203;/merge\n```\n /merge\n```');
    expect(plainText('/merge')).toBe('&#8203;/merge');
  });

  it('shows invisible characters and our markers in code', () => {
    expect(sanitizeMarkdown('a\u202eb\u200b\u200b\u{e0041}c')).toBe('a&#91;U+202E]b&#91;U+200B and 2 more]c');
    expect(codeSpan(`x ${MARKER}`)).toBe('`x <! -- cypherfix:v1 finding 00 -->`');
    expect(codeFence(MARKER)).not.toContain(MARKER);
  });
});

describe('code spans', () => {
  it.each([
    ['a', '`a`'],
    ['a`b', '``a`b``'],
    ['`', '`` ` ``'],
    [' a ', '`  a  `'],
    ['a\nb', '`a b`'],
    ['', ''],
  ])('%j becomes %j', (text, expected) => {
    expect(codeSpan(text)).toBe(expected);
  });
});

const HOSTILE = fc.array(
  fc.oneof(
    fc.constantFrom(
      '@octocat',
      '#12',
      'GH-1',
      'octo/app#1',
      'deadbeef',
      '`',
      '``',
      '```',
      '~~~',
      '\n',
      '\n\n',
      ' ',
      '    ',
      '\t',
      '|',
      '---',
      ':-:',
      '===',
      '- ',
      '1. ',
      '> ',
      '# ',
      '*',
      '_',
      '~',
      '[',
      ']',
      '(',
      ')',
      '!',
      '<',
      '>',
      '&',
      '&#64;',
      '&#8203;',
      '&lt;',
      '&amp;',
      '\\',
      '$',
      ':',
      '/merge',
      'https://evil.example/a',
      `${repositoryUrl}/blob/x`,
      `[a](${repositoryUrl}/blob/x)`,
      '[a](https://evil.example)',
      MARKER,
      '<!-- ',
      '</details>',
      'www.',
      'mailto:',
      '\u202e',
      '\u200b',
      '\u200d',
      '\x1b[31m',
      '\x1b',
      '\r',
      '```suggestion',
      '+',
      '=',
      'a',
      '😀',
      '\ud800',
      '"',
      "'",
      '.',
      ' "t")',
    ),
    fc.string({ maxLength: 5 }),
  ),
  { maxLength: 25 },
);

describe('properties of hostile text', () => {
  const RUNS = { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 400) };

  it('nothing active is left, as an independent parser sees it', () => {
    fc.assert(
      fc.property(HOSTILE, pieces => {
        const shown = sanitizeMarkdown(pieces.join(''));
        expect(activeParts(toHtml(shown))).toEqual([]);
        expect(shown).not.toMatch(/<!--\s*cypherfix/i);
        expect(shown).not.toMatch(/^\/[a-z]/im);
      }),
      RUNS,
    );
  });

  it('text that follows stands outside every block of code', () => {
    fc.assert(
      fc.property(HOSTILE, pieces => {
        expect(toHtml(`${sanitizeMarkdown(pieces.join(''))}\n\n# end`)).toMatch(/<h1>end<\/h1>$/);
      }),
      RUNS,
    );
  });

  it('only links below the repository stay', () => {
    fc.assert(
      fc.property(HOSTILE, pieces => {
        const html = toHtml(sanitizeMarkdown(pieces.join(''), { repositoryUrl }));
        for (const [, href] of html.matchAll(/href="([^"]*)"/g))
          expect(href?.startsWith(`${repositoryUrl}/`)).toBe(true);
        expect(html).not.toMatch(/<img/);
      }),
      RUNS,
    );
  });

  it('titles and plain text render as one paragraph without links', () => {
    fc.assert(
      fc.property(HOSTILE, pieces => {
        const text = pieces.join('');
        for (const shown of [sanitizeTitle(text), plainText(text)]) {
          const html = toHtml(`**${shown || 'x'}** x`);
          expect(activeParts(html)).toEqual([]);
          expect(html).toMatch(/^<p>[^\n]*<\/p>$/);
        }
        expect(toHtml(`| ${plainText(text)} | z |\n| --- | --- |`)).toMatch(/<th>z<\/th>\n<\/tr>/);
      }),
      RUNS,
    );
  });

  it('twice is once', () => {
    fc.assert(
      fc.property(HOSTILE, pieces => {
        const text = pieces.join('');
        const [markdown, title, plain] = [
          sanitizeMarkdown(text, { repositoryUrl }),
          sanitizeTitle(text),
          plainText(text),
        ];
        expect(sanitizeMarkdown(markdown, { repositoryUrl })).toBe(markdown);
        expect(sanitizeTitle(title)).toBe(title);
        expect(plainText(plain)).toBe(plain);
      }),
      RUNS,
    );
  });

  it('code spans and fences show any text', () => {
    fc.assert(
      fc.property(HOSTILE, pieces => {
        expect(toHtml(`${codeFence(pieces.join(''), 'js')}\n\nend`)).toMatch(/^<pre>[\s\S]*<\/pre>\n<p>end<\/p>$/);
        expect(toHtml(`a ${codeSpan(pieces.join('')) || '`x`'} b`)).toMatch(/^<p>a <code>[^\n]*<\/code> b<\/p>$/);
      }),
      RUNS,
    );
  });
});

describe('hostile lines', () => {
  const fill = (unit: string): string => unit.repeat(Math.ceil(250_000 / unit.length));
  const runs = Array.from({ length: 1300 }, (_, i) => '`'.repeat(i + 1)).join(' ');
  it.each([
    'a',
    '`',
    '` ',
    '[',
    '[a](',
    '[a]',
    '!',
    '&',
    '@a',
    'https://',
    'www.',
    '\n',
    '```\n',
    '```\nx\n```\n',
    '- ',
    '\u200b',
    '\x1b[',
    '\x1b]',
    '~~~\n',
    'deadbee ',
    '<!-- ',
  ])('takes %j', unit => {
    const text = fill(unit);
    const started = performance.now();
    sanitizeMarkdown(text, { repositoryUrl });
    plainText(text);
    expect(performance.now() - started).toBeLessThan(6000);
  });

  it('takes runs of backticks of every length', () => {
    const started = performance.now();
    sanitizeMarkdown(runs);
    expect(performance.now() - started).toBeLessThan(3000);
  });
});
