import { apiUrl, type Site, webUrl } from '../site.ts';
import type { Annotation, CheckRun } from '../state.ts';
import { ACTIONS_APP_ID } from '../tokens.ts';
import { renderUser } from './user.ts';

/** `check-run` of the API. */
export function renderCheckRun(site: Site, run: CheckRun): Record<string, unknown> {
  const api = apiUrl(site, `/check-runs/${run.id}`);
  const web = webUrl(site, `/runs/${run.id}`);
  return {
    id: run.id,
    node_id: `CR_${run.id}`,
    name: run.name,
    head_sha: run.headSha,
    external_id: run.externalId ?? '',
    url: api,
    html_url: web,
    details_url: run.detailsUrl ?? web,
    status: run.status,
    conclusion: run.conclusion,
    started_at: run.startedAt,
    completed_at: run.completedAt,
    output: {
      title: run.title,
      summary: run.summary,
      text: run.text,
      annotations_count: run.annotations.length,
      annotations_url: `${api}/annotations`,
    },
    check_suite: { id: run.appId },
    app: renderApp(site, run.appId),
    pull_requests: [],
  };
}

export function renderAnnotation(site: Site, run: CheckRun, annotation: Annotation): Record<string, unknown> {
  const oneLine = annotation.start_line === annotation.end_line;
  return {
    path: annotation.path,
    blob_href: webUrl(site, `/blob/${run.headSha}/${annotation.path}`),
    start_line: annotation.start_line,
    end_line: annotation.end_line,
    start_column: oneLine ? (annotation.start_column ?? null) : null,
    end_column: oneLine ? (annotation.end_column ?? null) : null,
    annotation_level: annotation.annotation_level,
    title: annotation.title ?? null,
    message: annotation.message,
    raw_details: annotation.raw_details ?? null,
  };
}

function renderApp(site: Site, appId: number): Record<string, unknown> {
  const name = appId === ACTIONS_APP_ID ? 'GitHub Actions' : `App ${appId}`;
  return {
    id: appId,
    slug: name.toLowerCase().replace(' ', '-'),
    node_id: `A_${appId}`,
    owner: renderUser(site, site.state.user('github')),
    name,
    description: '',
    external_url: `${site.url}/apps/${appId}`,
    html_url: `${site.url}/apps/${appId}`,
    created_at: '2018-07-30T09:30:17Z',
    updated_at: '2019-12-10T19:04:12Z',
    permissions: { checks: 'write', contents: 'read' },
    events: [],
  };
}
