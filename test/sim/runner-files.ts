/** What a step told the runner: through its files, and through lines on standard output. */

export interface WorkflowCommand {
  command: string;
  properties: Record<string, string>;
  message: string;
}

/** Reads GITHUB_OUTPUT, GITHUB_STATE or GITHUB_ENV by the runner's rules; throws where the runner would fail the step. */
export function parseCommandFile(text: string): Record<string, string> {
  const values: Record<string, string> = {};
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === '') lines.pop();
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    if (line === '') continue;
    const equals = line.indexOf('=');
    const heredoc = line.indexOf('<<');
    if (equals >= 0 && (heredoc < 0 || equals < heredoc)) {
      values[toName(line.slice(0, equals), line)] = line.slice(equals + 1);
      continue;
    }
    if (heredoc < 0) throw new Error(`Invalid format '${line}'`);
    const name = toName(line.slice(0, heredoc), line);
    const delimiter = line.slice(heredoc + 2);
    const end = lines.indexOf(delimiter, at + 1);
    if (delimiter === '' || end < 0) throw new Error(`Invalid value. Matching delimiter not found '${delimiter}'`);
    values[name] = lines.slice(at + 1, end).join('\n');
    at = end;
  }
  return values;
}

/** Lines of standard output that the runner would obey, those between `stop-commands` and its end token left out. */
export function parseWorkflowCommands(stdout: string): WorkflowCommand[] {
  const commands: WorkflowCommand[] = [];
  let stopped: string | undefined;
  for (const line of stdout.split(/\r?\n/)) {
    const match = /^\s*::([\w-]+)(?: ([^\n]*?))?::(.*)$/.exec(line);
    if (match === null) continue;
    const [, command = '', properties = '', message = ''] = match;
    if (stopped !== undefined) {
      if (command === stopped) stopped = undefined;
    } else if (command === 'stop-commands') {
      stopped = message;
    } else {
      commands.push({ command, properties: parseProperties(properties), message: unescapeData(message) });
    }
  }
  return commands;
}

function toName(name: string, line: string): string {
  if (name === '') throw new Error(`Invalid format '${line}'. Name must not be empty`);
  return name;
}

function parseProperties(text: string): Record<string, string> {
  const pairs = text.split(',').filter(pair => pair.includes('='));
  return Object.fromEntries(
    pairs.map(pair => {
      const equals = pair.indexOf('=');
      return [pair.slice(0, equals).trim(), unescapeProperty(pair.slice(equals + 1))];
    }),
  );
}

function unescapeProperty(text: string): string {
  return unescapeData(text.replaceAll('%3A', ':').replaceAll('%2C', ','));
}

function unescapeData(text: string): string {
  return text.replaceAll('%0D', '\r').replaceAll('%0A', '\n').replaceAll('%25', '%');
}
