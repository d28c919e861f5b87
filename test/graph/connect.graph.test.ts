import { inspect } from 'node:util';
import { afterEach, describe, expect, inject, test } from 'vitest';
import { EXIT } from '../../src/core/errors.ts';
import { GraphError, readGraphFailure } from '../../src/graph/graph-failure.ts';
import { type ConnectOptions, connectGraph } from '../../src/graph/neo4j.ts';
import { answerAs, answerHttp, type Listener, listen, refuseHandshake } from './server/fake-bolt.ts';

const SECRET = 'correct-horse-battery';
const FAST = { connectMs: 2000, graceMs: 2000 };

async function failureOf(options: Partial<ConnectOptions>): Promise<GraphError> {
  const connecting = connectGraph({
    ...inject('neo4j'),
    password: SECRET,
    database: '',
    timeouts: FAST,
    ...options,
  });
  const error = await connecting.then(
    async graph => {
      await graph.close();
      throw new Error('the connection was made');
    },
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(GraphError);
  const failure = error as GraphError;
  expect(failure.exitStatus).toBe(EXIT.missing);
  expect(failure.hint).toBeTruthy();
  // Neither the message nor anything that a log could take from the error.
  expect(`${inspect(failure, { depth: 20, showHidden: true })}${JSON.stringify(failure)}`).not.toContain(SECRET);
  expect(failure.message).not.toContain('\n');
  return failure;
}

let listener: Listener | undefined;
afterEach(async () => {
  await listener?.close();
  listener = undefined;
});

describe('a graph that cannot be used is told, with what to do', () => {
  test('nothing listens there', async () => {
    const gone = await listen(() => {});
    await gone.close();
    const failure = await failureOf({ uri: `bolt://${gone.address}` });
    expect(readGraphFailure(failure)).toBe('unreachable');
    expect(failure.message).toContain(`Neo4j at ${gone.address} cannot be reached: connect ECONNREFUSED`);
  });

  test('nothing listens there, by a routing address', async () => {
    const gone = await listen(() => {});
    await gone.close();
    const failure = await failureOf({ uri: `neo4j://${gone.address}` });
    expect(readGraphFailure(failure)).toBe('unreachable');
    expect(failure.message).toContain('connect ECONNREFUSED');
  });

  test('something listens and says nothing', async () => {
    listener = await listen(() => {});
    const failure = await failureOf({ uri: `bolt://${listener.address}`, timeouts: { connectMs: 300, graceMs: 300 } });
    expect(readGraphFailure(failure)).toBe('unreachable');
  });

  test('the connection is closed at once', async () => {
    listener = await listen(socket => socket.destroy());
    expect(readGraphFailure(await failureOf({ uri: `bolt://${listener.address}` }))).toBe('unreachable');
  });

  test('the password is wrong', async () => {
    const failure = await failureOf({});
    expect(readGraphFailure(failure)).toBe('unauthorized');
    expect(failure.hint).toContain('NEO4J_PASSWORD');
  });

  test('there is no password', async () => {
    expect(readGraphFailure(await failureOf({ user: '', password: '' }))).toBe('unauthorized');
  });

  test.each(['bolt', 'neo4j'])('there is no such database, over %s://', async scheme => {
    const { uri, password } = inject('neo4j');
    const failure = await failureOf({ uri: uri.replace('bolt', scheme), password, database: 'elsewhere' });
    expect(failure.message).toContain("has no database 'elsewhere'");
  });

  test('the server speaks another Bolt', async () => {
    listener = await listen(refuseHandshake);
    const failure = await failureOf({ uri: `bolt://${listener.address}` });
    expect(readGraphFailure(failure)).toBe('old-server');
    expect(failure.hint).toContain('5.26');
  });

  test.each(['Neo4j/4.4.38', 'Neo4j/5.25.1', 'Memgraph/3.1'])('the server is %s', async agent => {
    listener = await listen(answerAs(agent));
    const failure = await failureOf({ uri: `bolt://${listener.address}` });
    expect(readGraphFailure(failure)).toBe('old-server');
    expect(failure.message).toContain(agent.startsWith('Neo4j/') ? agent.slice(6) : agent);
  });

  test('it is a web server', async () => {
    listener = await listen(answerHttp);
    expect((await failureOf({ uri: `bolt://${listener.address}` })).message).toContain('HTTP, not Bolt');
  });
});

describe('an address that is refused before anything is sent', () => {
  test.each([
    ['bolt+ssc://127.0.0.1:7687', 'bolt+ssc:// would trust any certificate'],
    ['neo4j+ssc://127.0.0.1:7687', 'neo4j+ssc:// would trust any certificate'],
    ['http://127.0.0.1:7474', 'not one of Neo4j'],
    ['127.0.0.1:7687', 'NEO4J_URI'],
    ['', 'not an address'],
    [`bolt://neo4j:${SECRET}@127.0.0.1:7687`, 'no user or password'],
    [`bolt://${SECRET}@127.0.0.1:7687`, 'no user or password'],
    [`${SECRET}://127.0.0.1`, 'not one of Neo4j'],
  ])('%s', async (uri, message) => {
    expect((await failureOf({ uri })).message).toContain(message);
  });
});

test('a signal ends the attempt', async () => {
  listener = await listen(() => {});
  const stop = new AbortController();
  const connecting = connectGraph({
    uri: `bolt://${listener.address}`,
    user: 'neo4j',
    password: SECRET,
    database: '',
    signal: stop.signal,
  });
  stop.abort();
  await expect(connecting).rejects.toMatchObject({ code: 'interrupted', exitStatus: EXIT.interrupted });
});

test('a routing address reaches a single server', async () => {
  const { uri, user, password } = inject('neo4j');
  const graph = await connectGraph({ uri: uri.replace('bolt:', 'neo4j:'), user, password, database: 'neo4j' });
  expect(await graph.read('CYPHER 5 RETURN 1 AS one')).toEqual([{ one: 1 }]);
  expect(await graph.write(tx => tx.run('CYPHER 5 RETURN 2 AS two'))).toEqual([{ two: 2 }]);
  await graph.close();
});
