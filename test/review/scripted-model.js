const USAGE = { inputTokens: 1_000, outputTokens: 200, cacheReadTokens: 0, cacheWriteTokens: 0 };
/** A model that follows scripts by role. Its answer begins, and is told to have begun, before it ends. */
export function scriptedModel(scripts, usage = USAGE) {
  const requests = [];
  const turns = new Map();
  return {
    requests,
    requestsOf: role => requests.filter(request => request.role === role),
    async call(request, signal) {
      signal.throwIfAborted();
      requests.push(request);
      const turn = turns.get(request.role) ?? 0;
      turns.set(request.role, turn + 1);
      const line = (scripts[request.role] ?? QUIET[request.role] ?? fail)(request, turn);
      await Promise.resolve();
      request.onStarted?.();
      return toAnswer(line, turn, usage);
    },
  };
}
function toAnswer(line, turn, usage) {
  if ('raw' in line) return line.raw;
  const text = 'answer' in line ? JSON.stringify(line.answer) : '';
  const calls = 'calls' in line ? line.calls : [];
  const toolCalls = calls.map(({ name, input }, at) => ({ id: `call-${turn}-${at}`, name, input }));
  return { status: 'ok', text, toolCalls, echo: { text, toolCalls }, usage };
}
const fail = request => {
  throw new Error(`no script for the role '${request.role}'`);
};
export const NOTHING_FOUND = { findings: [], scanner: [], resolved: [], notes: '' };
export const judgement = (score, rationale = 'As it is.') => ({
  dimensions: { correctness: score, groundedness: score, actionability: score, signal_to_noise: score },
  score,
  rationale,
});
/** What roles say that a test does not speak for. */
const QUIET = {
  security: () => ({ answer: NOTHING_FOUND }),
  correctness: () => ({ answer: NOTHING_FOUND }),
  style: () => ({ answer: NOTHING_FOUND }),
  reflection: () => ({ answer: { decisions: [], summary: 'Kept as they are.' } }),
  revise: () => ({ answer: { decisions: [], summary: 'Kept after all.' } }),
  judge: () => ({ answer: judgement(0.8) }),
};
/** A finding as a reviewer would draft it, of the planted fault. */
export const draft = (rest = {}) => ({
  category: 'Command injection',
  cwe: 'CWE-78',
  severity: 'high',
  confidence: 0.9,
  path: 'src/run.ts',
  quote: "execSync('ls ' + name)",
  title: 'The name reaches a shell',
  rationale: 'A name such as `; rm -rf ~` is run.',
  suggestion: "Use execFile('ls', [name]).",
  evidence: ['src/run.ts: name is a parameter and is not checked'],
  ...rest,
});
/** All text of a request, as the model reads it. */
export const textOf = request =>
  [
    ...request.system.map(part => part.text),
    ...request.turns.map(turn => {
      if (turn.role === 'user') return turn.parts.map(part => part.text).join('\n');
      return turn.role === 'tool' ? turn.results.map(result => result.text).join('\n') : turn.text;
    }),
  ].join('\n');
