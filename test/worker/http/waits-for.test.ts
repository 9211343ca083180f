import { env } from 'cloudflare:workers';
import { afterEach, describe, expect, it, vi } from 'vitest';
import type { Chain } from '../../../src/network/network.ts';
import { newSandbox, sandboxWallet } from '../../../src/network/sandbox.ts';
import { PARTNER_REASONS, reasonForPartner } from '../../../src/pass/partner-reasons.ts';
import type { PassKey } from '../../../src/pass/pass.ts';
import { WAIT_REASONS, type WaitCode } from '../../../src/pass/wait-reasons.ts';
import type { ExplainedReason } from '../../../src/signer-object/operator.ts';
import { publishPasses } from '../../../src/store/passes.ts';
import { eventually } from '../../eventually.ts';
import { issueWithSigner } from '../issue-with-signer.ts';
import { aPass, UNSENT } from './a-pass.ts';
import { type Api, WITHOUT_LIMITS, workerWith } from './api.ts';
import { itemOf } from './bulk.ts';
import { aPartner, newGatekeeperNetwork, TRUSTING } from './issuer.ts';
import { forget, recordedWorker } from './recorded-bindings.ts';
import { aWaitingPass, objectOf, SEPOLIA, sepoliaKey } from './waiting-pass.ts';
import { aWallet } from './wallets.ts';

/** Why the change of a pass waits, as its partner reads it. `test/unit/pass/partner-reasons.test.ts` has the sentences. */

const { DB, SIGNERS } = env as Env;
const gatekeeperNetwork = newGatekeeperNetwork();

/** A text of each kind that the operator reads in a reason. */
const SECRETS = [
  'planted7f3a',
  '0x70997970C51812dc3A010C7d01b50e0d17dc79C8',
  'https://rpc.acme.io/v2/4711',
  'arn:aws:kms:eu-central-1:4711:key/acme',
  '0.00125 ETH',
];

const answers = new Map<string, () => Promise<readonly ExplainedReason[]>>();
const signers = {
  getByName: (name: string) => {
    const stuckReasons = answers.get(name);
    return stuckReasons === undefined ? SIGNERS.getByName(name as never) : { stuckReasons };
  },
};
const { send, uses } = recordedWorker(WITHOUT_LIMITS);
const watched = await aPartner({ gatekeeperNetwork, send });
const api = watched.through(workerWith({ ...TRUSTING, ...WITHOUT_LIMITS, SIGNERS: signers }));

/** Sets the clock ahead: a change that has just begun does not count as waiting. */
function later(seconds = 15): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + seconds * 1_000 });
}
afterEach(() => void vi.useRealTimers());

/** Makes a pass that waits in a signer of its own, which says this about its step. */
async function aPassThatWaits(says: () => Promise<readonly ExplainedReason[]>): Promise<PassKey> {
  const key = sepoliaKey(aWallet(), gatekeeperNetwork);
  // A signer without a key does nothing by itself.
  const signer = `ethereum/sepolia/0x${crypto.randomUUID().replaceAll('-', '').padEnd(40, '0')}`;
  await issueWithSigner(key, signer);
  await objectOf(key).pinStep();
  const publication = await objectOf(key).readPublication();
  if (publication !== undefined) await publishPasses(DB, [publication]);
  answers.set(signer, says);
  return key;
}
const reasonOf = (code: ExplainedReason['code'], before?: number) => [
  { code, text: `the operator reads ${SECRETS.join(' ')}`, partner: reasonForPartner(code, before) },
];
const waiting = (code: ExplainedReason['code'], before?: number) => aPassThatWaits(async () => reasonOf(code, before));

const get = ({ wallet }: PassKey, of: Api = api, headers: Record<string, string> = {}) =>
  of.call('GET', `/pass/${SEPOLIA}/${wallet}`, { headers });
const waitsForIn = ({ text }: { readonly text: string }) => JSON.parse(text).waitsFor;

describe.each(Object.keys(WAIT_REASONS) as WaitCode[])('a pass that waits with the reason %s', (code) => {
  it('says it in the words for partners, and shows nothing of the operator', async () => {
    const key = await waiting(code);
    later();
    const answer = await get(key);
    expect(waitsForIn(answer)).toEqual(reasonForPartner(code));
    const shown = answer.text + JSON.stringify([...answer.headers]);
    for (const secret of [...SECRETS, 'the operator reads', WAIT_REASONS[code].text])
      expect(shown).not.toContain(secret);
  });
});

describe('the reason in a record', () => {
  it('is that of the real signer', async () => {
    const key = await aWaitingPass();
    const partner = await aPartner({ gatekeeperNetwork: key.gatekeeperNetwork });
    later();
    await eventually(async () =>
      expect(waitsForIn(await get(key, partner))).toEqual({
        code: 'not_authorized',
        detail: PARTNER_REASONS.not_authorized.text,
      }),
    );
  });

  it('has the number of changes before it', async () => {
    const key = await waiting('turn', 12);
    later();
    expect(waitsForIn(await get(key))).toEqual({
      code: 'queue',
      detail: 'The change waits in the queue of the gatekeeper network: 12 before it.',
      before: 12,
    });
  });

  it('shows for a change of the expiry too, whose states agree', async () => {
    const key = await aPass({ gatekeeperNetwork, ...UNSENT });
    await api.update(SEPOLIA, key.wallet, { expiryTimestamp: 4_000_000_000 });
    await objectOf(key).pinStep();
    later();
    expect((await api.fetch(SEPOLIA, key.wallet)).record).toMatchObject({ state: 'ACTIVE', onChainState: 'ACTIVE' });
    await eventually(async () => expect(waitsForIn(await get(key))).toMatchObject({ code: 'paused' }));
  });

  it('comes with a request that has waited, and with no other POST, PATCH or search', async () => {
    const key = await waiting('no-funds');
    later();
    const { wallet } = key;
    const prefer = { prefer: 'wait=1', 'content-type': 'application/json' };
    const body = JSON.stringify({ walletAddress: wallet });
    const waited = await api.call('POST', `/pass/${SEPOLIA}`, { headers: prefer, body });
    expect([waited.status, waitsForIn(waited)?.code]).toEqual([202, 'no_funds']);
    const others = [await api.issue(SEPOLIA, wallet), await api.search({ filter: { walletAddress: wallet } })];
    const items = await api.post('/passes', { items: [itemOf(key)] });
    for (const { text } of [...others, items]) expect(text).not.toContain('waitsFor');
  });

  it('changes the entity tag', async () => {
    let code: WaitCode = 'no-funds';
    const key = await aPassThatWaits(async () => reasonOf(code));
    const early = await get(key);
    expect(waitsForIn(early)).toBeUndefined();
    later();
    const tagOf = (answer: typeof early) => ({ 'if-none-match': answer.headers.get('etag') ?? '' });
    const first = await get(key, api, tagOf(early));
    expect([first.status, waitsForIn(first).code]).toEqual([200, 'no_funds']);
    expect((await get(key, api, tagOf(first))).status).toBe(304);
    const head = await api.call('HEAD', `/pass/${SEPOLIA}/${key.wallet}`);
    expect(tagOf(head)).toEqual(tagOf(first));
    code = 'gas-price-too-high';
    const second = await get(key, api, tagOf(first));
    expect([second.status, waitsForIn(second).code]).toEqual([200, 'network_fees']);
  });
});

describe('a record without a reason', () => {
  it('is that of a change which has just begun, or has its transaction, and asks no object', async () => {
    const fresh = await aPass({ gatekeeperNetwork, state: 'REQUESTED' });
    const sent = await aPass({ gatekeeperNetwork, state: 'REQUESTED' });
    const { id } = (await objectOf(sent).inspect())?.step ?? {};
    const status = { type: 'sent', transaction: `0x${'4711'.repeat(16)}` } as const;
    await objectOf(sent).recordAnswers([{ step: id ?? '', revision: 7, status }]);
    const publication = await objectOf(sent).readPublication();
    await publishPasses(DB, publication === undefined ? [] : [publication]);
    const settled = await aPass({ gatekeeperNetwork });
    const rejected = await aPass({ gatekeeperNetwork, state: 'REJECTED' });
    // The first request also reads the partner.
    await get(fresh, watched);
    forget(uses);
    expect(waitsForIn(await get(fresh, watched))).toBeUndefined();
    later();
    for (const key of [sent, settled, rejected]) expect(waitsForIn(await get(key, watched))).toBeUndefined();
    expect(uses.calls).toEqual([]);
    expect(uses.statements.map(({ meta }) => meta.rows_read)).toEqual([1, 1, 1, 1]);
  });

  it('asks the pass and its signer once for a change that waits', async () => {
    const key = await aPass({ gatekeeperNetwork, state: 'REQUESTED', signer: 'ethereum/sepolia/0xnobody' });
    later();
    forget(uses);
    expect(waitsForIn(await get(key, watched))).toMatchObject({ code: 'paused' });
    expect(uses.calls.map(({ method }) => method)).toEqual(['inspect', 'stuckReasons']);
    expect(uses.statements).toHaveLength(1);
  });

  it.each([
    ['never answers', () => new Promise<never>(() => {})],
    ['fails', () => Promise.reject(new Error('the object was reset'))],
    ['answers with nothing', async () => []],
    // As one of the release before.
    ['knows no words for partners', async () => [{ code: 'no-funds', text: 'any' } as const]],
  ])('comes soon if the signer %s', async (_, says) => {
    const key = await aPassThatWaits(says);
    later();
    const started = performance.now();
    const answer = await get(key);
    expect([answer.status, waitsForIn(answer)]).toEqual([200, undefined]);
    expect(performance.now() - started).toBeLessThan(3_000);
  });

  it('comes beyond the limit of explanations, and asks no object', async () => {
    const key = await aPass({ gatekeeperNetwork, state: 'REQUESTED' });
    later();
    const asked: string[] = [];
    const BULK_LIMIT = {
      async limit({ key: name }: { readonly key: string }) {
        asked.push(name);
        return { success: false };
      },
    };
    const limited = recordedWorker({ BULK_LIMIT });
    const answer = await get(key, watched.through(limited.send));
    expect([answer.status, waitsForIn(answer)]).toEqual([200, undefined]);
    // Searches have a budget of their own.
    expect([limited.uses.calls, asked]).toEqual([[], [expect.stringMatching(/^waits\//)]]);
  });
});

describe.each<[Chain, string]>([
  ['ethereum', 'sepolia'],
  ['solana', 'devnet'],
])('in a sandbox on %s', (chain, network) => {
  it.each([
    ['never-funded', 'no_funds'],
    ['node-away', 'network_away'],
  ] as const)('the wallet "%s" waits for %s', async (name, code) => {
    const sandbox = await aPartner({ gatekeeperNetwork: newSandbox() });
    const wallet = sandboxWallet(name, chain);
    await sandbox.issue(`${chain}/${network}`, wallet);
    await sandbox.post('/sandbox/clock', { advanceSeconds: 20 });
    await eventually(async () =>
      expect(waitsForIn(await sandbox.call('GET', `/pass/${chain}/${network}/${wallet}`))).toEqual({
        code,
        detail: PARTNER_REASONS[code].text,
      }),
    );
  });
});
