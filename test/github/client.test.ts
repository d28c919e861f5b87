import { afterEach, describe, expect, test } from 'vitest';
import { CypherFixError } from '../../src/core/errors.ts';
import { REPEATABLE } from '../../src/github/client.ts';
import { GitHubFailure } from '../../src/github/failure.ts';
import { type Answer, createTestGitHub, startScriptedServer } from './scripted-server.ts';

const closers: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0)) await close();
});

async function start(answers: Answer[], options: Parameters<typeof createTestGitHub>[1] = {}) {
  const server = await startScriptedServer(answers);
  closers.push(server.close);
  return { server, ...createTestGitHub(server.url, options) };
}

type Client = Awaited<ReturnType<typeof start>>['gh'];
const REPO = { owner: 'o', repo: 'r' };
const read = (gh: Client) => gh.read('read it', async octokit => (await octokit.rest.repos.get({ ...REPO })).data);
const post = (gh: Client, reconcile: () => Promise<unknown>) =>
  gh.write(
    'write it',
    octokit => octokit.rest.issues.createComment({ ...REPO, issue_number: 1, body: 'b' }),
    reconcile,
  );
const kindOf = async (promise: Promise<unknown>) => {
  const error = await promise.then(
    () => null,
    e => e,
  );
  return error instanceof GitHubFailure ? error.kind : error;
};
const SECONDARY = { message: 'You have exceeded a secondary rate limit' };

describe('every request', () => {
  test('pins the API version and names the tool', async () => {
    const { gh, server } = await start([{ body: { id: 1 } }]);
    await read(gh);
    expect(server.seen[0]?.headers).toMatchObject({
      'x-github-api-version': '2022-11-28',
      authorization: 'token ghs_test',
      'user-agent': expect.stringMatching(/^cypherfix\/\d/),
    });
    expect(gh.requests).toBe(1);
  });

  test('counts against the budget of the run', async () => {
    const { gh, server } = await start([{ body: {} }], { maxRequests: 2 });
    await read(gh);
    await read(gh);
    expect(await kindOf(read(gh))).toBe('rate-limit');
    expect(server.seen).toHaveLength(2);
  });

  test('ends with the signal', async () => {
    const controller = new AbortController();
    const { gh } = await start([{ hang: true }], { signal: controller.signal });
    const pending = kindOf(read(gh));
    setTimeout(() => controller.abort(), 50);
    const error = await pending;
    expect(error).toBeInstanceOf(CypherFixError);
    expect(error).toMatchObject({ code: 'interrupted' });
  });

  test('ends after its time limit', async () => {
    const { gh } = await start([{ hang: true }], { requestTimeoutMs: 40 });
    expect(await kindOf(read(gh))).toBe('network');
  });

  test('never leaves the host of the API', async () => {
    const { gh, server } = await start([{ body: [{}], headers: { link: '<http://127.0.0.1:9/x>; rel="next"' } }]);
    const list = gh.read('list', octokit => octokit.paginate(octokit.rest.issues.listForRepo, { ...REPO }));
    expect(await kindOf(list)).toBe('validation');
    expect(server.seen).toHaveLength(1);
  });
});

describe('reads', () => {
  test.each<[string, Answer, number]>([
    ['a bad gateway', { status: 502, body: '<html>' }, 1000],
    ['a lost connection', { drop: true }, 1000],
    ['a limit with retry-after', { status: 403, body: SECONDARY, headers: { 'retry-after': '7' } }, 7000],
    ['429 with retry-after', { status: 429, body: SECONDARY, headers: { 'retry-after': '3' } }, 3000],
    ['a limit without a header', { status: 403, body: SECONDARY }, 60_000],
  ])('are sent again after %s', async (_name, answer, wait) => {
    const { gh, waits, server } = await start([answer, { body: { id: 5 } }]);
    expect(await read(gh)).toEqual({ id: 5 });
    expect(waits).toEqual([wait]);
    expect(server.seen).toHaveLength(2);
  });

  test.each([401, 403, 404, 409, 422])('are not sent again after %i', async status => {
    const { gh, server } = await start([{ status, body: { message: 'no' } }]);
    expect(await kindOf(read(gh))).toEqual(expect.any(String));
    expect(server.seen).toHaveLength(1);
  });

  test('end when it does not stop', async () => {
    const { gh, server, waits } = await start([{ status: 503, body: {} }]);
    expect(await kindOf(read(gh))).toBe('server');
    expect(server.seen).toHaveLength(4);
    expect(waits).toEqual([1000, 2000, 4000]);
  });

  test('do not wait for a limit that lasts too long', async () => {
    const reset = Math.floor(Date.now() / 1000) + 3000;
    const headers = { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(reset) };
    const { gh, waits } = await start([{ status: 403, body: { message: 'API rate limit exceeded' }, headers }]);
    expect(await kindOf(read(gh))).toBe('rate-limit');
    expect(waits).toEqual([]);
  });
});

describe('writes', () => {
  test('are looked for before they are sent again', async () => {
    const { gh, server } = await start([
      { status: 502, body: '' },
      { status: 201, body: { id: 2 } },
    ]);
    const looked: string[] = [];
    await post(gh, async () => {
      looked.push(server.seen.map(s => s.method).join());
      return null;
    });
    expect(looked).toEqual(['POST']);
    expect(server.seen).toHaveLength(2);
  });

  test('are not sent again when they had taken effect', async () => {
    const { gh, server } = await start([{ drop: true }, { body: { id: 9 } }]);
    expect(await post(gh, async () => 'found')).toBe('found');
    expect(server.seen).toHaveLength(1);
  });

  test('are not sent again when nobody can tell', async () => {
    const { gh, server } = await start([
      { status: 502, body: '' },
      { status: 403, body: { message: 'no' } },
    ]);
    expect(await kindOf(post(gh, () => read(gh)))).toBe('server');
    expect(server.seen.map(s => s.method)).toEqual(['POST', 'GET']);
  });

  test('are looked for once more when the attempts are used up', async () => {
    const { gh, server } = await start([{ status: 502, body: '' }]);
    let looks = 0;
    const result = await post(gh, async () => (++looks < 4 ? null : 'found at last'));
    expect(result).toBe('found at last');
    expect(server.seen).toHaveLength(4);
  });

  test('wait out an abuse limit', async () => {
    const abuse = { message: 'Validation Failed', errors: [{ code: 'abuse' }] };
    const { gh, waits } = await start([
      { status: 422, body: abuse },
      { status: 201, body: { id: 3 } },
    ]);
    await post(gh, REPEATABLE);
    expect(waits).toEqual([60_000]);
  });

  test('keep their distance once there are many', async () => {
    const clock = { now: 1_000_000 };
    const waits: number[] = [];
    const { gh } = await start([{ status: 201, body: {} }], {
      writeSpacingMs: 1000,
      now: () => clock.now,
      sleep: async ms => {
        waits.push(ms);
        clock.now += ms;
      },
    });
    for (let i = 0; i < 10; i++) await post(gh, REPEATABLE);
    expect(waits).toEqual([]);
    clock.now += 300;
    await post(gh, REPEATABLE);
    await read(gh);
    expect(waits).toEqual([700]);
  });
});

describe('GraphQL', () => {
  test('goes to the same base, on a server of one’s own too', async () => {
    const server = await startScriptedServer([{ body: { data: { viewer: { login: 'x' } } } }]);
    closers.push(server.close);
    for (const base of ['', '/', '/api/v3']) {
      const { gh } = createTestGitHub(`${server.url}${base}`);
      expect(await gh.query('ask', 'query { viewer { login } }', {})).toEqual({ viewer: { login: 'x' } });
    }
    expect(server.seen.map(s => s.url)).toEqual(['/graphql', '/graphql', '/api/graphql']);
    expect(server.seen[0]?.headers['x-github-api-version']).toBe('2022-11-28');
  });

  test('errors in an answer of 200 are failures', async () => {
    const errors = [{ type: 'FORBIDDEN', message: 'Resource not accessible by integration' }];
    const { gh } = await start([{ body: { data: null, errors } }]);
    const failure = gh.mutate('close it', 'mutation { x }', {}, REPEATABLE);
    await expect(failure).rejects.toMatchObject({ kind: 'forbidden', code: 'permission' });
  });

  test('a limit in an answer of 200 is waited out', async () => {
    const errors = [{ type: 'RATE_LIMITED', message: 'slow down' }];
    const { gh, waits } = await start([
      { body: { errors }, headers: { 'retry-after': '4' } },
      { body: { data: { a: 1 } } },
    ]);
    expect(await gh.query('ask', 'query { a }', {})).toEqual({ a: 1 });
    expect(waits).toEqual([4000]);
  });

  test('a query is no write and is not spaced', async () => {
    const { gh, waits } = await start([{ body: { data: { a: 1 } } }], { writeSpacingMs: 60_000 });
    await gh.query('ask', 'query Q { a }', {});
    await gh.query('ask', 'query Q { a }', {});
    expect(waits).toEqual([]);
  });
});

describe('a download', () => {
  test('goes to another host without the token', async () => {
    const store = await startScriptedServer([{ body: 'bytes' }]);
    closers.push(store.close);
    const { gh } = await start([{ body: {} }]);
    const bytes = await gh.download('fetch it', 100, async () => `${store.url}/blob?key=1`);
    expect(bytes.toString()).toBe('bytes');
    expect(store.seen[0]?.headers.authorization).toBeUndefined();
  });

  test('ends above the cap', async () => {
    const store = await startScriptedServer([{ body: 'x'.repeat(1000) }]);
    closers.push(store.close);
    const { gh } = await start([{}]);
    expect(await kindOf(gh.download('fetch it', 999, async () => store.url))).toBe('validation');
  });
});
