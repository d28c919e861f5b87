import { GraphError } from './schema.ts';

export interface PageArguments {
  first?: number | null;
  last?: number | null;
  after?: string | null;
  before?: string | null;
}

const MAX_PAGE = 100;

/** A page of `rows` as a connection; only the rows on the page are rendered. */
export function connect<T>(name: string, rows: T[], render: (row: T) => unknown): (args: PageArguments) => unknown {
  return args => {
    const size = args.first ?? args.last;
    if (size === undefined || size === null) {
      const message = `You must provide a \`first\` or \`last\` value to properly paginate the \`${name}\` connection.`;
      throw new GraphError('MISSING_PAGINATION_BOUNDARIES', message);
    }
    if (size > MAX_PAGE) {
      const which = args.first === size ? 'first' : 'last';
      const message = `Requesting ${size} records on the \`${name}\` connection exceeds the \`${which}\` limit of ${MAX_PAGE} records.`;
      throw new GraphError('EXCESSIVE_PAGINATION', message);
    }
    const from = typeof args.after === 'string' ? toIndex(args.after) + 1 : 0;
    const to = typeof args.before === 'string' ? toIndex(args.before) : rows.length;
    const range = rows.slice(from, to);
    const start = typeof args.first === 'number' ? from : from + Math.max(0, range.length - size);
    const page = rows.slice(start, Math.min(to, start + size));
    const end = start + page.length;
    return {
      totalCount: rows.length,
      nodes: () => page.map(render),
      edges: () => page.map((row, index) => ({ cursor: toCursor(start + index), node: render(row) })),
      pageInfo: {
        hasNextPage: end < rows.length,
        hasPreviousPage: start > 0,
        startCursor: page.length === 0 ? null : toCursor(start),
        endCursor: page.length === 0 ? null : toCursor(end - 1),
      },
    };
  };
}

function toCursor(index: number): string {
  return Buffer.from(`cursor:v2:${index}`).toString('base64');
}

function toIndex(cursor: string): number {
  const index = Number(Buffer.from(cursor, 'base64').toString().split(':').at(-1));
  if (Number.isNaN(index)) throw new GraphError('INVALID_CURSOR_ARGUMENTS', `\`${cursor}\` is not a valid cursor.`);
  return index;
}
