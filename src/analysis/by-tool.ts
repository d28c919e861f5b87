/** Path → tools, turned round. */
export function byTool(byPath: ReadonlyMap<string, readonly string[]>): Map<string, Set<string>> {
  const tools = new Map<string, Set<string>>();
  for (const [path, names] of byPath) {
    for (const name of names) tools.set(name, (tools.get(name) ?? new Set()).add(path));
  }
  return tools;
}

/** Path → what tools could not read, turned round: tool → path → reason. */
export function partialByTool(
  byPath: ReadonlyMap<string, readonly { readonly tool: string; readonly reason: string }[]>,
): Map<string, Map<string, string>> {
  const tools = new Map<string, Map<string, string>>();
  for (const [path, notes] of byPath) {
    for (const { tool, reason } of notes) tools.set(tool, (tools.get(tool) ?? new Map()).set(path, reason));
  }
  return tools;
}
