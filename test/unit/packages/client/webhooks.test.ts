import { describe, expect, it } from 'vitest';
import { createGatepass, GatepassProblem, GatepassUnreachable } from '../../../../packages/client/src/gatepass.ts';

/** The requests of the client about webhooks, and their retries. */

const ID = '01a1f8a0-6cfb-7613-a30a-0ccef041f58c';

type Answer = Response | 'break';
const json = (body: unknown, status = 200) =>
  new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json' } });
const problem = (status: number, code: string, more = {}) =>
  new Response(JSON.stringify({ code, detail: 'a detail', requestId: 'a', ...more }), {
    status,
    headers: { 'content-type': 'application/problem+json', 'retry-after': '0' },
  });

/** A client of a service that gives these answers in sequence. */
function aClient(...answers: Answer[]) {
  const requests: string[] = [];
  const gatepass = createGatepass({
    baseUrl: 'https://api.example/v1',
    token: async () => 'a-token',
    async fetch(url, { method, body }) {
      requests.push([method, url.replace('https://api.example/v1', ''), body].filter(Boolean).join(' '));
      const answer = answers.shift();
      if (answer === undefined || answer === 'break') throw new TypeError('the connection broke');
      return answer;
    },
  });
  return { webhooks: gatepass.webhooks, requests };
}

describe('each method sends its request and returns the body', () => {
  type Webhooks = ReturnType<typeof aClient>['webhooks'];
  it.each<[string, (webhooks: Webhooks) => Promise<unknown>, string, unknown]>([
    ['create', (it) => it.create({ url: 'https://a.example' }), 'POST /webhooks {"url":"https://a.example"}', {}],
    ['get', (it) => it.get(ID), `GET /webhooks/${ID}`, {}],
    ['update', (it) => it.update(ID, { types: null }), `PATCH /webhooks/${ID} {"types":null}`, {}],
    ['test', (it) => it.test(ID), `POST /webhooks/${ID}/test`, { delivered: true }],
    ['rotateSecret', (it) => it.rotateSecret(ID), `POST /webhooks/${ID}/rotate-secret`, { secret: 'a' }],
    ['replay', (it) => it.replay(ID, 7), `POST /webhooks/${ID}/replay {"after":7}`, {}],
    ['deliveries', (it) => it.deliveries(ID), `GET /webhooks/${ID}/deliveries`, { deliveries: [] }],
    ['deliveries', (it) => it.deliveries(ID, { after: 7 }), `GET /webhooks/${ID}/deliveries?after=7`, {}],
  ])('%s', async (_, call, request, body) => {
    const { webhooks, requests } = aClient(json(body));
    expect(await call(webhooks)).toEqual(body);
    expect(requests).toEqual([request]);
  });

  it('list returns the webhooks of the body', async () => {
    const { webhooks, requests } = aClient(json({ webhooks: [{ id: ID }] }));
    expect(await webhooks.list()).toEqual([{ id: ID }]);
    expect(requests).toEqual(['GET /webhooks']);
  });

  it('remove resolves to undefined', async () => {
    const { webhooks, requests } = aClient(new Response(null, { status: 204 }));
    expect(await webhooks.remove(ID)).toBeUndefined();
    expect(requests).toEqual([`DELETE /webhooks/${ID}`]);
  });
});

describe('a webhook that does not exist', () => {
  const missing = () => aClient(problem(404, 'webhook_not_found')).webhooks;

  it('get resolves to undefined, and remove resolves', async () => {
    expect(await missing().get(ID)).toBeUndefined();
    expect(await missing().remove(ID)).toBeUndefined();
  });

  it('all other methods throw the problem', async () => {
    for (const call of ['update', 'test', 'rotateSecret', 'deliveries'] as const) {
      await expect(missing()[call](ID, {})).rejects.toMatchObject({ code: 'webhook_not_found' });
    }
  });
});

describe('retries', () => {
  it('remove succeeds after an answer was lost', async () => {
    const { webhooks, requests } = aClient('break', problem(404, 'webhook_not_found'));
    await webhooks.remove(ID);
    expect(requests).toHaveLength(2);
  });

  it.each(['create', 'rotateSecret'] as const)('%s sends its request once if no answer comes', async (call) => {
    for (const answer of ['break', problem(503, 'temporarily_unavailable')] as const) {
      const { webhooks, requests } = aClient(answer, json({}));
      const made = call === 'create' ? webhooks.create({ url: 'https://a.example' }) : webhooks.rotateSecret(ID);
      await expect(made).rejects.toBeInstanceOf(answer === 'break' ? GatepassUnreachable : GatepassProblem);
      expect(requests).toHaveLength(1);
    }
  });

  it('create and test repeat their request if there were too many', async () => {
    const created = aClient(problem(429, 'rate_limited'), json({ id: ID }, 201));
    expect(await created.webhooks.create({ url: 'https://a.example' })).toEqual({ id: ID });
    const tested = aClient(problem(429, 'rate_limited'), json({ delivered: true }));
    expect(await tested.webhooks.test(ID)).toEqual({ delivered: true });
  });
});

it('an empty answer is only valid for remove, and a body is not valid there', async () => {
  const unexpected = { code: 'unexpected_answer' };
  await expect(aClient(new Response(null, { status: 204 })).webhooks.get(ID)).rejects.toMatchObject(unexpected);
  await expect(aClient(json({})).webhooks.remove(ID)).rejects.toMatchObject(unexpected);
});

it('a replay from deleted events throws the problem with the oldest sequence', async () => {
  const { webhooks } = aClient(problem(410, 'cursor_expired', { oldest: 42 }));
  await expect(webhooks.replay(ID, 7)).rejects.toMatchObject({ status: 410, code: 'cursor_expired', oldest: 42 });
});
