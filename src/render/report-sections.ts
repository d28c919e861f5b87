import type { Report } from '../core/report.ts';
import { codeSpan, plainText, sanitizeTitle } from '../core/untrusted.ts';
import { cutCodePoints } from './budget.ts';
import { isSkipped, toPartialReasons } from './ledger-file.ts';
import { type LinkTarget, toBlobUrl } from './links.ts';
import { CARRIED, plural, toDuration } from './phrases.ts';

/** Parts of a report that the review, the check and the summary share. Each is markdown, empty where there is nothing. */

const MAX_REASONS = 10;

export function renderReasons(report: Report, most = MAX_REASONS): string {
  const { reasons } = report.gate;
  if (reasons.length === 0) return '';
  const title = report.conclusion === 'failure' ? 'Why this needs attention' : 'What is missing';
  const shown = reasons.slice(0, most).map(reason => `- ${toSentence(reason)}`);
  if (reasons.length > most) shown.push(`- … and ${plural(reasons.length - most, 'more reason')}`);
  return `**${title}**\n\n${shown.join('\n')}`;
}

/** A warning nobody overlooks: the scanners ran outside gVisor. */
export function renderInsecureWarning(report: Report): string {
  if (report.sandbox?.insecure !== true) return '';
  const runtime = codeSpan(report.sandbox.runtime) || 'another runtime';
  return `> [!CAUTION]\n> **The sandbox was not gVisor.** The scanners ran under ${runtime}, for development only; do not rely on this report.`;
}

export function renderNotices(report: Report, extra: readonly string[] = []): string {
  const notices = [...extra, ...report.notices];
  const cut = Object.entries(report.truncated).map(([what, count]) => `${count} × ${what} left out or shortened.`);
  const shown = [...notices, ...cut].slice(0, 50).map(notice => `- ${toSentence(notice)}`);
  if (notices.length + cut.length > 50) shown.push(`- … and ${notices.length + cut.length - 50} more`);
  return shown.length === 0 ? '' : `**Notes**\n\n${shown.join('\n')}`;
}

export function renderSuppressionsAdded(report: Report, target: LinkTarget): string {
  const added = report.suppressionsAddedByChange;
  if (added.length === 0) return '';
  const lines = added.slice(0, 50).map(({ path, line, text }) => {
    const place = codeSpan(`${cutCodePoints(path, 200)}:${line}`);
    const url = toBlobUrl(target, path, line);
    return `- ${url === undefined ? place : `[${place}](${url})`} ${codeSpan(cutCodePoints(text.trim(), 160))}`;
  });
  if (added.length > 50) lines.push(`- … and ${added.length - 50} more`);
  const title = `⚠️ ${plural(added.length, 'suppression')} added by this change (reported, not obeyed)`;
  return toDetails(title, lines.join('\n'));
}

export function renderSuppressed(report: Report): string {
  const suppressed = report.findings.filter(finding => finding.suppressed !== undefined);
  if (suppressed.length === 0) return '';
  const lines = suppressed.slice(0, 200).map(finding => {
    const until = finding.suppressed?.until === undefined ? '' : ` until ${plainText(finding.suppressed.until)}`;
    const place = codeSpan(`${cutCodePoints(finding.path, 200)}:${finding.startLine}`);
    return `- ${place} ${codeSpan(`${finding.tool} ${finding.ruleId}`)}${until}: ${sanitizeTitle(cutCodePoints(finding.suppressed?.reason ?? '', 300))}`;
  });
  if (suppressed.length > 200) lines.push(`- … and ${suppressed.length - 200} more`);
  return toDetails(`${plural(suppressed.length, 'finding')} suppressed by the policy`, lines.join('\n'));
}

/** `18 of 20 files examined, 2 skipped`. */
export function toLedgerLine({ ledger }: Report): string {
  const examined = ledger.files.filter(file => file.examinedBy.length > 0).length;
  const skipped = ledger.files.filter(isSkipped).length;
  const partial = ledger.files.filter(file => toPartialReasons(file).length > 0).length;
  const parts = [
    `${examined} of ${plural(ledger.files.length, 'file')} examined`,
    skipped > 0 ? `${skipped} skipped` : '',
    partial > 0 ? `${partial} only in part` : '',
    ledger.complete ? '' : '**not complete**',
  ];
  return parts.filter(part => part !== '').join(', ');
}

export function renderScanners(report: Report): string {
  if (report.scanners.length === 0) return '';
  const icon = { ok: '✅', failed: '❌', 'timed-out': '❌', skipped: '➖' } as const;
  const rows = report.scanners.map(({ name, version, status, filesExamined, findings, durationMs, message }) => {
    const note = message === undefined ? '' : ` ${plainText(cutCodePoints(message, 300))}`;
    return `| ${plainText(name)} | ${plainText(version)} | ${icon[status]} ${status}${note} | ${filesExamined} | ${findings} | ${status === 'skipped' ? '' : toDuration(durationMs)} |`;
  });
  return [
    '| Scanner | Version | Status | Files | Findings | Time |',
    '| --- | --- | --- | ---: | ---: | ---: |',
    ...rows,
  ].join('\n');
}

/** Skipped and partly read files with their reasons; `all` names the examined ones too. */
export function renderLedger(report: Report, options: { readonly most: number; readonly all: boolean }): string {
  const { files } = report.ledger;
  const telling = files.filter(
    file =>
      file.skipped !== undefined ||
      file.examinedBy.length === 0 ||
      file.partial !== undefined ||
      file.carried !== undefined,
  );
  const wanted = options.all ? [...telling, ...files.filter(file => !telling.includes(file))] : telling;
  const lines = wanted.slice(0, options.most).map(toLedgerItem);
  if (wanted.length > options.most) lines.push(`- … and ${plural(wanted.length - options.most, 'more file')}`);
  return lines.join('\n');
}

function toLedgerItem(file: Report['ledger']['files'][number]): string {
  const name = `${codeSpan(cutCodePoints(file.path, 300))} (${plainText(file.status)})`;
  const moved = file.previousPath === undefined ? '' : ` from ${codeSpan(cutCodePoints(file.previousPath, 300))}`;
  if (isSkipped(file)) return `- ⏭️ ${name}${moved}: skipped, ${plainText(cutCodePoints(file.skipped ?? '', 300))}`;
  const partial = toPartialReasons(file).join('; ');
  const tools =
    file.examinedBy.length === 0 ? '**examined by no scanner**' : `by ${plainText(file.examinedBy.join(', '))}`;
  const carried = file.carried === undefined ? '' : `, ${plural(file.carried, 'finding')} ${CARRIED}`;
  return `- ${name}${moved}: ${tools}${carried}${partial === '' ? '' : `, in part (${plainText(cutCodePoints(partial, 400))})`}`;
}

/** Runtime, platform and image in which the scanners ran. */
export function renderSandbox({ sandbox }: Report): string {
  if (sandbox === null) return 'Sandbox: none was started.';
  const { runtime, runtimeVersion, platform, imageDigest, insecure, runs } = sandbox;
  const warning = insecure === true ? ' **(insecure: not gVisor)**' : '';
  const odd = runs.filter(run => run.timedOut || run.oomKilled || run.outputTruncated).map(toOddRun);
  const name = `${codeSpan(`${runtime} ${runtimeVersion}`)}`;
  return `Sandbox: ${name}, platform ${plainText(platform)}, image ${codeSpan(imageDigest) || 'unknown'}${warning}${odd.length === 0 ? '' : `. ${odd.join('. ')}`}`;
}

function toOddRun(run: NonNullable<Report['sandbox']>['runs'][number]): string {
  const what = [
    run.timedOut ? 'timed out' : '',
    run.oomKilled ? 'ran out of memory' : '',
    run.outputTruncated ? 'had its output cut' : '',
  ];
  return `The job ${codeSpan(run.purpose)} ${what.filter(part => part !== '').join(' and ')}`;
}

/** The commits that the report speaks of. */
export function renderCommits({ subject }: Report): string {
  const named: [string, string | undefined][] = [
    ['Head', subject.headSha],
    ['Merge base', subject.mergeBaseSha],
    ['Policy from', subject.baseSha],
  ];
  return named
    .filter((pair): pair is [string, string] => pair[1] !== undefined)
    .map(([name, sha]) => `${name} ${codeSpan(sha)}`)
    .join(' · ');
}

export function renderTimings({ timings }: Report): string {
  const stages = Object.entries(timings).slice(0, 30);
  return stages.length === 0
    ? ''
    : `Time: ${stages.map(([stage, ms]) => `${plainText(stage)} ${toDuration(ms)}`).join(' · ')}`;
}

export const toDetails = (summary: string, body: string): string =>
  `<details><summary>${summary}</summary>\n\n${body}\n\n</details>`;

const toSentence = (text: string): string => sanitizeTitle(cutCodePoints(text, 500));
