import { describe, expect, it } from 'vitest';
import { createGatepass, SubjectNotSettled, SubjectSuperseded } from '../../../../packages/client/src/gatepass.ts';

/** The requests of the client about subjects, and how it waits for all passes of one. */

const SUBJECT = 'p-7f3c9a51e2';
const AT = '2026-11-20T11:03:45.123Z';
const REQUEST = { state: 'FROZEN', requestId: 'r', requestedAt: AT, total: 2, done: 0, refused: {} };
const aPass = (walletAddress: string, state: string, onChainState = state, eventType = 'TOKEN_FROZEN') => ({
  ...{ id: walletAddress, chain: { type: 'ethereum', network: 'sepolia' }, walletAddress, state, onChainState },
  events: [{ eventType, timestamp: 1 }],
});
const accepted = (request: object = REQUEST) => ({ subject: SUBJECT, state: 'FROZEN', passes: 2, requests: [request] });
const shown = (...requests: object[]) => ({ subject: SUBJECT, state: 'FROZEN', passes: {}, requests, records: [] });
const FOLLOWED = shown({ ...REQUEST, done: 2, finishedAt: AT });
const found = (...records: object[]) => ({ records });

const answerOf = (body: unknown, status = 200) =>
  new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json', 'preference-applied': 'wait=20' },
  });
const problemOf = (status: number, code: string, more = {}) =>
  answerOf({ code, detail: 'a detail', requestId: 'a', ...more }, status);

/** A client of a service that gives these answers in sequence. */
function aClient(...answers: (object | Response)[]) {
  const requests: string[] = [];
  const gatepass = createGatepass({
    baseUrl: 'https://api.example',
    token: async () => 'a-token',
    retries: { times: 0 },
    async fetch(url, { method, body }) {
      requests.push([method, url.replace('https://api.example', ''), body].filter(Boolean).join(' '));
      const answer = answers.shift();
      if (answer === undefined) throw new TypeError('no more answers');
      return answer instanceof Response ? answer : answerOf(answer);
    },
  });
  return { ...gatepass, requests };
}
type Client = ReturnType<typeof aClient>;

describe('each method sends its request and returns the body', () => {
  const path = `/subjects/${SUBJECT}`;
  it.each<[string, (it: Client) => Promise<unknown>, string]>([
    ['get', ({ subjects }) => subjects.get(SUBJECT), `GET ${path}`],
    ['get', ({ subjects }) => subjects.get('a/b.c%?'), 'GET /subjects/a%2Fb.c%25%3F'],
    ['get', ({ subjects }) => subjects.get('a', { after: 'x', limit: 5 }), 'GET /subjects/a?after=x&limit=5'],
    ['update', ({ subjects }) => subjects.update(SUBJECT, { state: 'FROZEN' }), `PATCH ${path} {"state":"FROZEN"}`],
    [
      'update',
      ({ subjects }) => subjects.update(SUBJECT, { expiryTimestamp: 5, reason: 'case 7' }),
      `PATCH ${path} {"expiryTimestamp":5,"reason":"case 7"}`,
    ],
    ['revoke', ({ subjects }) => subjects.revoke(SUBJECT), `DELETE ${path}`],
    ['revoke', ({ subjects }) => subjects.revoke(SUBJECT, { reason: 'a b' }), `DELETE ${path}?reason=a%20b`],
    ['rules.get', ({ rules }) => rules.get(), 'GET /rules'],
    ['rules.update', ({ rules }) => rules.update({ subjectMaxPasses: null }), 'PATCH /rules {"subjectMaxPasses":null}'],
    ['usage', ({ usage }) => usage({ month: '2026-11', subjects: true }), 'GET /usage?month=2026-11&subjects=true'],
  ])('%s', async (_, call, request) => {
    const client = aClient({ a: 'body' });
    expect(await call(client)).toEqual({ a: 'body' });
    expect(client.requests).toEqual([request]);
  });

  it('issue names the subject', async () => {
    const chain = { type: 'ethereum', network: 'sepolia' } as const;
    const client = aClient(aPass('0x1', 'REQUESTED'));
    await client.issue({ chain, walletAddress: '0x1' }, { subject: SUBJECT });
    expect(client.requests).toEqual([`POST /pass/ethereum/sepolia {"walletAddress":"0x1","subject":"${SUBJECT}"}`]);
  });

  it('issueMany and updateMany name it in their items', async () => {
    const key = { chain: { type: 'ethereum', network: 'sepolia' }, walletAddress: '0x1' } as const;
    const client = aClient({ results: [] }, { results: [] });
    await client.issueMany([{ ...key, subject: SUBJECT }]);
    await client.updateMany([{ ...key, subject: null }]);
    const items = client.requests.map((request) => JSON.parse(request.split(' ')[2] ?? '').items);
    expect(items).toEqual([[{ ...key, subject: SUBJECT }], [{ ...key, subject: null }]]);
  });
});

it('get resolves to undefined if no pass has the subject', async () => {
  expect(await aClient(problemOf(404, 'subject_not_found')).subjects.get(SUBJECT)).toBeUndefined();
});

it('a refusal by a rule names the rule and its passes', async () => {
  const rule = { name: 'subjectMaxPasses', maximum: 1, passes: [{ chain: {}, walletAddress: '0x1' }] };
  const refused = () => aClient(problemOf(409, 'subject_limit_reached', { rule })).subjects.revoke(SUBJECT);
  await expect(refused()).rejects.toMatchObject({ code: 'subject_limit_reached', rule });
});

describe('a change that is awaited', () => {
  it('ends when each pass has followed, and the chain has the change', async () => {
    const [first, second] = [aPass('0x1', 'FROZEN'), aPass('0x2', 'FROZEN', 'ACTIVE')];
    const client = aClient(
      accepted(),
      shown({ ...REQUEST, done: 1 }),
      FOLLOWED,
      found(first, second),
      aPass('0x2', 'FROZEN'),
    );
    const counts: object[] = [];
    const outcome = await client.subjects.updateAndWait(
      SUBJECT,
      { state: 'FROZEN' },
      { onProgress: (count) => counts.push(count) },
    );
    expect(outcome).toEqual({ request: FOLLOWED.requests[0], failed: [] });
    expect(counts).toEqual([
      { total: 2, followed: 0, settled: 0 },
      { total: 2, followed: 1, settled: 0 },
      { total: 2, followed: 2, settled: 0 },
      { total: 2, followed: 2, settled: 1 },
      { total: 2, followed: 2, settled: 2 },
    ]);
    // The record of the first pass shows that it is settled.
    expect(client.requests.slice(3)).toEqual([
      `POST /pass {"filter":{"subject":"${SUBJECT}"},"limit":100}`,
      'GET /pass/ethereum/sepolia/0x2',
    ]);
  });

  it.each<[string, string, object, object, boolean]>([
    ['a freeze that the chain refuses', 'FROZEN', aPass('0x1', 'FROZEN', 'ACTIVE'), aPass('0x1', 'ACTIVE'), true],
    [
      'a freeze of a pass that others revoke',
      'FROZEN',
      aPass('0x1', 'FROZEN', 'ACTIVE'),
      aPass('0x1', 'REVOKED'),
      false,
    ],
    ['a pass that was rejected', 'FROZEN', aPass('0x1', 'REJECTED', 'NONE'), {}, false],
    ['a pass with a freeze of its own', 'ACTIVE', aPass('0x1', 'FROZEN'), aPass('0x1', 'FROZEN'), false],
    [
      'an end of a freeze that the chain refuses',
      'ACTIVE',
      aPass('0x1', 'ACTIVE', 'FROZEN'),
      aPass('0x1', 'FROZEN', 'FROZEN', 'TOKEN_UNFROZEN_FAILED'),
      true,
    ],
  ])('reports %s', async (_, state, known, settled, isFailed) => {
    const request = { ...REQUEST, state, finishedAt: AT };
    const { subjects } = aClient(accepted(request), found(known), settled);
    const outcome = await subjects.updateAndWait(SUBJECT, { state: state as 'ACTIVE' });
    expect(outcome.failed).toEqual(isFailed ? [settled] : []);
  });

  it('fetches each pass after a renewal, because a record shows the new expiry at once', async () => {
    const renewed = { ...aPass('0x1', 'ACTIVE'), expiryTimestamp: 5 };
    const { state: _, ...request } = { ...REQUEST, expiryTimestamp: 5, finishedAt: AT };
    const client = aClient(accepted(request), found(renewed), renewed);
    expect((await client.subjects.updateAndWait(SUBJECT, { expiryTimestamp: 5 })).failed).toEqual([]);
    expect(client.requests.at(-1)).toBe('GET /pass/ethereum/sepolia/0x1');
  });

  it('throws if a newer request has replaced it', async () => {
    const newer = shown({ ...REQUEST, requestId: 'other' });
    const { subjects } = aClient(accepted(), newer);
    await expect(subjects.updateAndWait(SUBJECT, { state: 'FROZEN' })).rejects.toBeInstanceOf(SubjectSuperseded);
  });

  it('throws when the time is over, and the reason of a signal that aborts', async () => {
    const slow = () => aClient(...[accepted(), ...Array.from({ length: 9 }, () => shown(REQUEST))]).subjects;
    await expect(slow().updateAndWait(SUBJECT, { state: 'FROZEN' }, { withinMs: 50 })).rejects.toBeInstanceOf(
      SubjectNotSettled,
    );
    const signal = AbortSignal.timeout(50);
    const aborted = await slow()
      .updateAndWait(SUBJECT, { state: 'FROZEN' }, { signal })
      .catch((fault) => fault);
    expect([signal.aborted, aborted]).toEqual([true, signal.reason]);
  });
});
