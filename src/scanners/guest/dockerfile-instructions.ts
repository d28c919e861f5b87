/** One instruction with its arguments on one line. `ONBUILD X` is X. Lines are 1-based. */
export interface Instruction {
  /** Upper case. */
  readonly name: string;
  /** Arguments; continuation lines joined by a space, comments in between left out, heredoc bodies appended. */
  readonly text: string;
  readonly startLine: number;
  readonly endLine: number;
  /** Line of the file that holds the character of `text` at this offset. */
  lineAt(offset: number): number;
}

interface Piece {
  readonly text: string;
  readonly line: number;
}

/** Splits a Dockerfile as its builder does: continuations (with the `escape` directive), comments, heredocs. Never throws. */
export function parseDockerfile(source: string): Instruction[] {
  const lines = source.split('\n').map(line => line.replace(/\r$/, ''));
  const mark = findEscape(lines);
  const instructions: Instruction[] = [];
  let at = 0;
  while (at < lines.length) {
    if (isIgnored(lines[at] ?? '')) {
      at++;
      continue;
    }
    const { pieces, next } = readInstruction(lines, at, mark);
    const instruction = toInstruction(pieces);
    if (instruction !== undefined) instructions.push(instruction);
    at = next;
  }
  return instructions;
}

const isIgnored = (line: string): boolean => /^\s*(?:#|$)/.test(line);

/** Parser directives stand in the first lines, as comments of the form `# key=value`. */
function findEscape(lines: readonly string[]): string {
  for (const line of lines) {
    const directive = /^\s*#\s*(\w+)\s*=\s*(\S+)\s*$/.exec(line);
    if (directive === null) return '\\';
    if (directive[1]?.toLowerCase() === 'escape') return directive[2] === '`' ? '`' : '\\';
  }
  return '\\';
}

function readInstruction(lines: readonly string[], start: number, mark: string): { pieces: Piece[]; next: number } {
  const pieces: Piece[] = [];
  let at = start;
  for (let continued = true; continued && at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (at > start && isIgnored(line)) continue;
    const trimmed = line.trimEnd();
    continued = trimmed.endsWith(mark);
    pieces.push({ text: (continued ? trimmed.slice(0, -1) : trimmed).trim(), line: at + 1 });
  }
  for (const word of heredocsOf(pieces)) {
    while (at < lines.length) {
      const line = lines[at] ?? '';
      at++;
      if ((word.stripTabs ? line.replace(/^\t+/, '') : line) === word.end) break;
      pieces.push({ text: line, line: at });
    }
  }
  return { pieces, next: at };
}

function heredocsOf(pieces: readonly Piece[]): { end: string; stripTabs: boolean }[] {
  const text = pieces.map(piece => piece.text).join(' ');
  if (!/^(?:ONBUILD\s+)?(?:RUN|COPY|ADD)\b/i.test(text)) return [];
  const found = text.matchAll(/(?:^|[^<])<<(-?)\s*(?:"(\w+)"|'(\w+)'|(\w+))/g);
  return [...found].map(([, dash, double, single, bare]) => ({
    end: double ?? single ?? bare ?? '',
    stripTabs: dash === '-',
  }));
}

function toInstruction(pieces: readonly Piece[]): Instruction | undefined {
  const head = /^((?:ONBUILD\s+)*)([A-Za-z]+)\s*/i.exec(pieces[0]?.text ?? '');
  if (head === null) return undefined;
  const parts = pieces.map((piece, index) =>
    index === 0 ? { ...piece, text: piece.text.slice(head[0].length) } : piece,
  );
  return {
    name: (head[2] ?? '').toUpperCase(),
    text: parts.map(part => part.text).join(' '),
    startLine: parts[0]?.line ?? 1,
    endLine: parts.at(-1)?.line ?? 1,
    lineAt: offset => {
      let rest = offset;
      for (const part of parts) {
        if (rest <= part.text.length) return part.line;
        rest -= part.text.length + 1;
      }
      return parts.at(-1)?.line ?? 1;
    },
  };
}
