// A triage run in a process of its own, which the tests kill: says `at N` before step N and waits there for ever.
import { connectGraph } from '../../src/graph/neo4j.ts';
import type { Tenant } from '../../src/graph/tenant.ts';
import type { ServerAccess } from './server-access.ts';
import { withSteps } from './steps.ts';
import { runWhole } from './whole-run.ts';

const given = process.argv[2];
if (given === undefined) throw new Error('usage: run-process.ts JSON');
const { server, tenant, stopAt } = JSON.parse(given) as { server: ServerAccess; tenant: Tenant; stopAt: number };

const graph = await connectGraph({ ...server, database: '' });
await runWhole(
  withSteps(graph, async step => {
    if (step !== stopAt) return;
    process.stdout.write(`at ${step}\n`);
    // Keeps the process alive, which a bare promise does not.
    await new Promise(() => setInterval(() => {}, 1000));
  }),
  tenant,
);
process.stdout.write('done\n');
await graph.close();
