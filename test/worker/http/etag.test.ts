import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import type { Wallet } from '../../../src/network/wallet.ts';
import { passName } from '../../../src/pass/pass.ts';
import { expectProblem } from '../../problem.ts';
import { aPass, aPassKey, type Place } from './a-pass.ts';
import { QUEUE_THAT_FAILS } from './api.ts';
import { aPartner, newGatekeeperNetwork } from './issuer.ts';
import { forget, recordedWorker } from './recorded-bindings.ts';

/** Conditional requests (RFC 9110 §13): a caller that has the current pass gets no body. */

const { PASSES } = env as unknown as Env;
const { send, uses } = recordedWorker({ PASS_QUEUE: QUEUE_THAT_FAILS });
const acme = await aPartner({ send });
const { gatekeeperNetwork } = acme;
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

/** Makes a settled pass whose object assumes that the read model is up to date. */
async function aSettledPass(place: Place = 'D1'): Promise<Wallet> {
  const key = await aPass({ gatekeeperNetwork, place });
  const pass = PASSES.getByName(passName(key));
  const { version = 0, eventsInFeed = 0 } = (await pass.readPublication()) ?? {};
  await pass.markPublished({ version, eventsInFeed });
  return key.wallet;
}

describe('the ETag of a pass', () => {
  it('makes a weak ETag of the pass id, its version and its validity', async () => {
    const answer = await fetching(await aSettledPass());
    expect(etagOf(answer)).toMatch(new RegExp(`^W/"${answer.record.id}\\.[1-9]\\d*\\.valid"$`));
  });

  it('returns the same ETag from D1 and from the pass object, and another ETag after a change', async () => {
    const wallet = await aSettledPass('object');
    const tags = [await fetching(wallet), await fetching(wallet), await fetching(wallet, { prefer: 'wait=5' })];
    expect(uses.calls.map(({ method }) => method)).toContain('repairRow');
    expect(new Set(tags.map(etagOf)).size).toBe(1);
    await acme.update('ethereum/sepolia', wallet, { state: 'FROZEN' });
    const etag = etagOf(tags[0] as never);
    for (const prefer of ['', 'wait=1']) {
      const changed = await fetching(wallet, { etag, prefer });
      // The signer may have found by now that the token of this pass does not exist.
      expect([changed.status, changed.record.state]).not.toEqual([200, 'ACTIVE']);
      expect(etagOf(changed)).not.toBe(etag);
    }
  });

  it('sends no ETag with writes, searches and refusals', async () => {
    const wallet = await aSettledPass();
    const answers = [
      await acme.issue('ethereum/sepolia', wallet),
      await acme.update('ethereum/sepolia', wallet, { state: 'FROZEN' }),
      await acme.revoke('ethereum/sepolia', wallet),
      await acme.search({}),
      await fetching(aPassKey({ gatekeeperNetwork }).wallet),
    ];
    expect(answers.map(etagOf)).toEqual(answers.map(() => null));
  });
});

describe('If-None-Match', () => {
  it('returns 304 with the headers and without a body, and reads one row', async () => {
    const wallet = await aSettledPass();
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
    // The alarm of another pass may print a line of its own meanwhile.
    const lines = log.mock.calls.map(([line]) => JSON.parse(String(line)));
    expect(lines.filter(({ pass }) => pass === first.record.id)).toMatchObject([
      { event: 'request.answered', status: 304 },
    ]);
  });

  it('returns 304 from the pass object alone, also after waiting', async () => {
    const wallet = await aSettledPass('object');
    const etag = `W/"${(await known(wallet))?.id}.${(await known(wallet))?.version}.valid"`;
    expect((await fetching(wallet, { etag })).status).toBe(304);
    forget(uses);
    const waited = await fetching(wallet, { etag, prefer: 'wait=5' });
    expect([waited.status, waited.text, waited.headers.get('preference-applied')]).toEqual([304, '', 'wait=5']);
    expect([uses.statements, uses.calls.map(({ method }) => method)]).toEqual([[], ['awaitSettlement']]);
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
  ])('returns %i for a list of ETags by weak comparison: %#', async (status, listOf) => {
    const wallet = await aSettledPass();
    const etag = listOf(etagOf(await fetching(wallet)));
    const answers = [await fetching(wallet, { etag }), await fetching(wallet, { etag, method: 'HEAD' })];
    expect(answers.map((answer) => [answer.status, answer.text === ''])).toEqual([
      [status, status === 304],
      [status, true],
    ]);
  });

  it('returns 404 for a pass that does not exist, whatever If-None-Match says', async () => {
    const foreign = await aPass({ gatekeeperNetwork: newGatekeeperNetwork() });
    for (const { wallet } of [foreign, aPassKey({ gatekeeperNetwork })]) {
      expectProblem(await fetching(wallet, { etag: '*' }), 'pass_not_found');
    }
  });
});

async function known(wallet: Wallet) {
  return PASSES.getByName(
    passName({ gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', wallet }),
  ).readPublication();
}
