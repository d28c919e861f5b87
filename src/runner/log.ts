import type { Writable } from 'node:stream';
import type { Log } from '../core/log.ts';

type LogStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

/** The log that fits where we run: workflow commands in a job, a progress line on a terminal, else plain lines. */
export function createLog(stream: LogStream, env: NodeJS.ProcessEnv): Log {
  if (env['GITHUB_ACTIONS'] === 'true') return createActionsLog(process.stdout);
  return createPlainLog(stream, stream.isTTY === true && env['TERM'] !== 'dumb');
}

/**
 * Log of a workflow step. Every line that could be read as a workflow command is broken by a zero-width space, since
 * the runner parses standard output (and standard error) line by line.
 */
export function createActionsLog(stream: Writable): Log {
  const line = (text: string) => stream.write(`${text}\n`);
  return {
    stage(name) {
      line(`::group::${escapeData(name)}`);
      let open = true;
      return () => {
        if (open) line('::endgroup::');
        open = false;
      };
    },
    info: message => line(defuse(message)),
    warn: message => line(`::warning::${escapeData(message)}`),
    error: message => line(`::error::${escapeData(message)}`),
  };
}

/** Plain log; on a terminal the running stage is shown on one line that is wiped when something else is printed. */
export function createPlainLog(stream: LogStream, live: boolean): Log {
  let current: { name: string; since: number } | undefined;
  let timer: NodeJS.Timeout | undefined;
  const wipe = () => {
    if (live && current !== undefined) stream.write('\r\u001b[2K');
  };
  const draw = () => {
    if (!live || current === undefined) return;
    const seconds = Math.floor((performance.now() - current.since) / 1000);
    const text = seconds > 0 ? `… ${current.name} (${seconds} s)` : `… ${current.name}`;
    stream.write(`\r\u001b[2K${text.slice(0, Math.max(10, (stream.columns ?? 80) - 1))}`);
  };
  const line = (prefix: string) => (message: string) => {
    wipe();
    stream.write(`${prefix}${printable(message)}\n`);
    draw();
  };
  return {
    stage(name) {
      wipe();
      const stage = { name, since: performance.now() };
      current = stage;
      if (!live) stream.write(`${printable(name)}\n`);
      draw();
      if (live && timer === undefined) timer = setInterval(draw, 1000).unref();
      return () => {
        if (current !== stage) return;
        wipe();
        current = undefined;
        clearInterval(timer);
        timer = undefined;
      };
    },
    info: line(''),
    warn: line('warning: '),
    error: line('error: '),
  };
}

const escapeData = (text: string) => text.replace(/%/g, '%25').replace(/\r/g, '%0D').replace(/\n/g, '%0A');

const defuse = (text: string) => printable(text).replace(/^(\s*)(::|##\[)/gm, '$1\u200b$2');

/** Control characters but newline and tab could steer a terminal: shown as their code. */
const printable = (text: string) =>
  text.replace(
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g,
    c => `\\x${c.charCodeAt(0).toString(16).padStart(2, '0')}`,
  );
