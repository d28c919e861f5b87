/** Counts from 0 for each name. */
export function turnCounter(): (name: string) => number {
  const turns = new Map<string, number>();
  return name => {
    const turn = turns.get(name) ?? 0;
    turns.set(name, turn + 1);
    return turn;
  };
}
