import { afterEach, describe, expect, it, vi } from 'vitest';
import {
  type CallNotice,
  createGatepass,
  type Fetch,
  VERSION,
  verify,
} from '../../../../packages/client/src/gatepass.ts';
import { manifestOf } from '../../package-files.ts';

/** A client notifies about its calls, and names itself. */

const SECRET = 'planted-secret-7f3a';
const TOKEN = 'planted-token-7f3a';
const KEY = { chain: { type: 'solana', network: 'devnet' }, walletAddress: 'wallet' } as const;
const problem = { code: 'temporarily_unavailable', detail: 'later', requestId: 'r-1' };
const json = (status: number, body: unknown, headers = {}) =>
  Response.json(body, { status, headers: { 'x-request-id': 'r-1', ...headers } });

/** A client whose service answers with these, one after the other. `null`: no answer. */
function clientOf(answers: (Response | null)[], on?: (notice: CallNotice) => void) {
  const sent: RequestInit[] = [];
  const fetch: Fetch = async (_, init) => {
    sent.push(init);
    const answer = answers.shift();
    if (!answer) throw new TypeError('connection lost');
    return answer;
  };
  const tokens: Fetch = async (_, init) => {
    sent.push(init);
    return Response.json({ access_token: TOKEN });
  };
  const gatepass = createGatepass({
    baseUrl: 'https://passes.example/base',
    credentials: { tokenUrl: 'https://login.example/token', clientId: 'acme', clientSecret: SECRET, fetch: tokens },
    fetch,
    ...(on && { on }),
  });
  return { gatepass, sent };
}

describe('on', () => {
  it('hears of each request, answer and retry in order, also of the request for a token', async () => {
    const notices: CallNotice[] = [];
    const retryAfter = { 'retry-after': '0' };
    const { gatepass } = clientOf(
      [json(503, problem, retryAfter), json(404, { ...problem, code: 'pass_not_found' })],
      (notice) => notices.push(notice),
    );
    expect(await gatepass.get(KEY)).toBeUndefined();
    const token = { to: 'token', method: 'POST', url: 'https://login.example/token', attempt: 1 };
    const call = { to: 'service', method: 'GET', url: 'https://passes.example/base/pass/solana/devnet/wallet' };
    const durationMs = expect.any(Number);
    expect(notices).toEqual([
      { ...token, type: 'request' },
      { ...token, type: 'answer', status: 200, requestId: undefined, durationMs },
      { ...call, attempt: 1, type: 'request' },
      { ...call, attempt: 1, type: 'answer', status: 503, requestId: 'r-1', durationMs },
      { ...call, attempt: 1, type: 'retry', status: 503, pauseMs: expect.any(Number) },
      { ...call, attempt: 2, type: 'request' },
      { ...call, attempt: 2, type: 'answer', status: 404, requestId: 'r-1', durationMs },
    ]);
  });

  it('hears when the network of the path ends', async () => {
    const notices: CallNotice[] = [];
    const ends = { sunset: 'Thu, 31 Dec 2026 00:00:00 GMT' };
    const answers = [json(200, {}, ends), json(400, problem, ends), json(200, {})];
    const { gatepass } = clientOf(answers, (notice) => notices.push(notice));
    for (let calls = 0; calls < 3; calls += 1) await gatepass.get(KEY).catch(() => undefined);
    const heard = notices.flatMap((notice) =>
      notice.type === 'answer' && notice.to === 'service' ? [notice.sunset] : [],
    );
    expect(heard).toEqual([ends.sunset, ends.sunset, undefined]);
  });

  it('hears that there was no answer', async () => {
    const notices: CallNotice[] = [];
    const { gatepass } = clientOf([null, json(200, { records: [] })], (notice) => notices.push(notice));
    await gatepass.search();
    expect(notices.filter(({ type, to }) => type === 'answer' && to === 'service')).toMatchObject([
      { status: undefined },
      { status: 200 },
    ]);
  });

  it('gets no token, secret, header, body or query', async () => {
    const notices: CallNotice[] = [];
    const { gatepass } = clientOf([json(200, { ...problem })], (notice) => notices.push(notice));
    await gatepass.revoke(KEY, { reason: 'planted-reason-7f3a' }).catch(() => undefined);
    expect(notices.length).toBeGreaterThan(3);
    expect(JSON.stringify(notices)).not.toContain('7f3a');
  });

  it('cannot stop a call with an error', async () => {
    const { gatepass } = clientOf([json(200, { records: [] })], () => {
      throw new Error('the log is full');
    });
    expect(await gatepass.search()).toEqual([]);
  });
});

describe('User-Agent', () => {
  afterEach(() => vi.unstubAllGlobals());
  const agentsOf = (sent: readonly RequestInit[]) => sent.map(({ headers }) => new Headers(headers).get('user-agent'));

  it('names the client and its version, to the service and to the authorization server', async () => {
    const { gatepass, sent } = clientOf([json(200, { records: [] })]);
    await gatepass.search();
    expect(agentsOf(sent)).toEqual(Array(2).fill(`gatepass-client/${VERSION}`));
    expect(VERSION).toBe(manifestOf('packages/client').version);
  });

  it('is that of the browser in a page', async () => {
    vi.stubGlobal('document', {});
    const { gatepass, sent } = clientOf([json(200, { records: [] })]);
    await gatepass.search();
    expect(agentsOf(sent)).toEqual([null, null]);
  });

  it('names the client in verify too', async () => {
    const sent: RequestInit[] = [];
    const fetch: Fetch = async (_, init) => {
      sent.push(init);
      return json(200, { valid: true });
    };
    await verify({ baseUrl: 'https://passes.example', gatekeeperNetwork: 'g', ...KEY, fetch });
    expect(agentsOf(sent)).toEqual([`gatepass-client/${VERSION}`]);
  });
});
