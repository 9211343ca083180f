import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { passName } from '../../../src/pass/pass.ts';
import { Api, QUEUE_THAT_FAILS, register } from './api.ts';
import { aToken, newClientId, newGatekeeperNetwork } from './issuer.ts';
import { aKeyOf, aPassOf, type Place } from './passes-of.ts';
import { forget, recordedWorker } from './recorded-bindings.ts';

/** Conditional requests (RFC 9110 §13): who has the pass as it is need not be sent it again. */

const { PASSES } = env as unknown as Env;
const { send, uses } = recordedWorker({ LOOKS: QUEUE_THAT_FAILS });
const clientId = newClientId();
const gatekeeperNetwork = newGatekeeperNetwork();
await register({ clientId, gatekeeperNetwork });
const acme = new Api(await aToken({ client_id: clientId }), send);
const log = vi.spyOn(console, 'log').mockReturnValue();

interface Asked {
  readonly etag?: string;
  readonly method?: string;
  readonly prefer?: string;
}
const pathTo = (wallet: string) => `/pass/ethereum/sepolia/${wallet}`;
const fetching = (wallet: string, { etag, method = 'GET', prefer }: Asked = {}) =>
  acme.call(method, pathTo(wallet), {
    headers: { ...(etag !== undefined && { 'if-none-match': etag }), ...(prefer && { prefer }) },
  });
const etagOf = ({ headers }: Awaited<ReturnType<typeof fetching>>) => headers.get('etag') as string;

/** A pass that is settled, and whose object thinks that the read model has it. */
async function aPass(place: Place = 'D1'): Promise<string> {
  const key = await aPassOf(gatekeeperNetwork, { place });
  const pass = PASSES.getByName(passName(key));
  await pass.markPublished((await pass.readPublication())?.version ?? 0);
  return key.wallet;
}

describe('the tag of a pass', () => {
  it('is weak, and made of its id and its version', async () => {
    const answer = await fetching(await aPass());
    expect(etagOf(answer)).toMatch(new RegExp(`^W/"${answer.record.id}\\.[1-9]\\d*"$`));
  });

  it('is the same on whatever way the pass is read, and another once it has changed', async () => {
    const wallet = await aPass('object');
    const tags = [await fetching(wallet), await fetching(wallet), await fetching(wallet, { prefer: 'wait=5' })];
    expect(uses.calls.map(({ method }) => method)).toContain('read');
    expect(new Set(tags.map(etagOf)).size).toBe(1);
    await acme.update('ethereum/sepolia', wallet, { state: 'FROZEN' });
    const etag = etagOf(tags[0] as never);
    for (const prefer of ['', 'wait=1']) {
      const changed = await fetching(wallet, { etag, prefer });
      expect([changed.status, changed.record.state]).toEqual([200, 'FROZEN']);
      expect(etagOf(changed)).not.toBe(etag);
    }
  });

  it('stands where the record is all there is: on no answer to a write, and on no refusal', async () => {
    const wallet = await aPass();
    const answers = [
      await acme.issue('ethereum/sepolia', wallet),
      await acme.update('ethereum/sepolia', wallet, { state: 'FROZEN' }),
      await acme.revoke('ethereum/sepolia', wallet),
      await acme.search({}),
      await fetching(aKeyOf(gatekeeperNetwork).wallet),
    ];
    expect(answers.map(etagOf)).toEqual(answers.map(() => null));
  });
});

describe('who has the pass already', () => {
  it('gets 304: its headers and no body, for one row read', async () => {
    const wallet = await aPass();
    const first = await fetching(wallet);
    forget(uses);
    log.mockClear();
    const again = await fetching(wallet, { etag: etagOf(first) });
    expect([again.status, again.text]).toEqual([304, '']);
    const others = ['x-request-id', 'content-type', 'gatepass-bookmark'];
    const kept = ({ headers }: typeof first) => [...headers].filter(([name]) => !others.includes(name));
    expect(kept(again)).toEqual(kept(first));
    expect(again.headers.get('gatepass-bookmark')).toMatch(/^DB\./);
    expect(again.headers.get('cache-control')).toBe('no-store');
    expect([uses.statements.map(({ meta }) => meta.rows_read), uses.calls]).toEqual([[1], []]);
    expect(log.mock.calls.map(([line]) => JSON.parse(String(line)))).toMatchObject([
      { at: 'request', status: 304, pass: first.record.id },
    ]);
  });

  it('gets it where the pass is in its object alone, and where it waits', async () => {
    const wallet = await aPass('object');
    const etag = `W/"${(await known(wallet))?.id}.${(await known(wallet))?.version}"`;
    expect((await fetching(wallet, { etag })).status).toBe(304);
    forget(uses);
    const waited = await fetching(wallet, { etag, prefer: 'wait=5' });
    expect([waited.status, waited.text, waited.headers.get('preference-applied')]).toEqual([304, '', 'wait=5']);
    expect([uses.statements, uses.calls.map(({ method }) => method)]).toEqual([[], ['settled']]);
  });

  it.each<[number, (etag: string) => string]>([
    [304, (etag) => etag],
    [304, () => '*'],
    [304, (etag) => etag.replace('W/', '')],
    [304, (etag) => `"other", ${etag}, W/"another"`],
    [304, (etag) => `W/"a,b" ,,${etag}`],
    [200, (etag) => etag.replace('.', '.9')],
    [200, (etag) => etag.replaceAll('"', '')],
    [200, (etag) => etag.replace('W/', 'w/').replace('."', '.0"').replace('"0', '"1')],
    [200, () => '"*"'],
    [200, () => '"*", *'],
    [200, () => ''],
    [200, () => 'rubbish'],
    [200, () => '"'.repeat(10_000)],
  ])('%i for a list of tags, by weak comparison: %#', async (status, listOf) => {
    const wallet = await aPass();
    const etag = listOf(etagOf(await fetching(wallet)));
    const answers = [await fetching(wallet, { etag }), await fetching(wallet, { etag, method: 'HEAD' })];
    expect(answers.map((answer) => [answer.status, answer.text === ''])).toEqual([
      [status, status === 304],
      [status, true],
    ]);
  });

  it('is told where there is no pass any more, or never was', async () => {
    const foreign = await aPassOf(newGatekeeperNetwork());
    for (const { wallet } of [foreign, aKeyOf(gatekeeperNetwork)]) {
      expect((await fetching(wallet, { etag: '*' })).problem.code).toBe('pass_not_found');
    }
  });
});

async function known(wallet: string) {
  return PASSES.getByName(
    passName({ gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', wallet }),
  ).readPublication();
}
