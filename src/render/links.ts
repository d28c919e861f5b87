import type { Report } from '../core/report.ts';

/** Where links of a rendering lead; without an address paths stay text. */
export interface LinkTarget {
  /** `https://github.com/owner/name`. */
  readonly repositoryUrl?: string | undefined;
  readonly headSha?: string | undefined;
}

/** The report's own repository and head; `serverUrl` for other servers than github.com. */
export function toLinkTarget(report: Report, serverUrl = 'https://github.com'): LinkTarget {
  const { repository, headSha } = report.subject;
  const isName = repository !== undefined && /^[A-Za-z0-9-]{1,39}\/[\w.-]{1,100}$/.test(repository);
  return { repositoryUrl: isName ? `${serverUrl.replace(/\/+$/, '')}/${repository}` : undefined, headSha };
}

/** Address of lines of a file at the head; undefined where the repository or the head is not known. */
export function toBlobUrl(target: LinkTarget, path: string, startLine?: number, endLine?: number): string | undefined {
  if (target.repositoryUrl === undefined || target.headSha === undefined) return undefined;
  const encoded = path.split('/').map(encodeSegment).join('/');
  const lines =
    startLine === undefined
      ? ''
      : `#L${startLine}${endLine === undefined || endLine === startLine ? '' : `-L${endLine}`}`;
  return `${target.repositoryUrl}/blob/${target.headSha}/${encoded}${lines}`;
}

/** `CWE-79` to its page at MITRE; undefined for anything else. */
export function toCweUrl(cwe: string): string | undefined {
  const number = /^CWE-(\d{1,6})$/.exec(cwe)?.[1];
  return number === undefined ? undefined : `https://cwe.mitre.org/data/definitions/${Number(number)}.html`;
}

const encodeSegment = (segment: string): string =>
  encodeURIComponent(Buffer.from(segment).toString('utf8')).replace(
    /[!'()*]/g,
    character => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
