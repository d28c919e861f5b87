import type { Reply } from '../call.ts';
import type { Site } from '../site.ts';

const DEFAULT_PER_PAGE = 30;
const MAX_PER_PAGE = 100;

/** One page of a list and the Link header to the others. */
export function toPage(site: Site, path: string, query: URLSearchParams, reply: Reply): Reply {
  const list = reply.list ?? [];
  const size = Math.min(MAX_PER_PAGE, Math.max(1, toNumber(query.get('per_page'), DEFAULT_PER_PAGE)));
  const page = Math.max(1, toNumber(query.get('page'), 1));
  const last = Math.max(1, Math.ceil(list.length / size));
  const cut = list.slice((page - 1) * size, page * size);
  const link = (number: number, rel: string) => {
    const there = new URLSearchParams(query);
    there.set('page', String(number));
    return `<${site.url}${path}?${there}>; rel="${rel}"`;
  };
  const links = [
    ...(page > 1 ? [link(page - 1, 'prev')] : []),
    ...(page < last ? [link(page + 1, 'next'), link(last, 'last')] : []),
    ...(page > 1 ? [link(1, 'first')] : []),
  ];
  return {
    ...reply,
    json: reply.under === undefined ? cut : { total_count: list.length, [reply.under]: cut },
    headers: { ...reply.headers, ...(links.length > 0 ? { link: links.join(', ') } : {}) },
  };
}

function toNumber(text: string | null, otherwise: number): number {
  const value = Number.parseInt(text ?? '', 10);
  return Number.isNaN(value) ? otherwise : value;
}
