import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import type { Wallet } from '../../../src/network/wallet.ts';
import { passName } from '../../../src/pass/pass.ts';
import { PassObject } from '../../../src/pass-object/pass-object.ts';
import { SignerObject } from '../../../src/signer-object/signer-object.ts';
import { eventually } from '../../eventually.ts';
import { keepAlive } from '../configure-object.ts';
import type { Answer } from './answer.ts';
import { seededPartner, workerWithoutQueue } from './api.ts';
import { callNodeOf, withoutBlocks } from './node.ts';
import { forget, recordedWorker } from './recorded-bindings.ts';
import { acme, appliedPreference, fetchWaiting, issueWaiting, measure, SEPOLIA } from './waiting-requests.ts';
import { aWallet } from './wallets.ts';

/** The cost of many waiters for one pass. */

describe('a hundred waiters for one pass', () => {
  const stateOf = (object: unknown) => (object as { ctx: DurableObjectState }).ctx;
  const takenOf = vi.spyOn(PassObject.prototype, 'pinStep');
  const submittedTo = vi.spyOn(SignerObject.prototype, 'submit');

  /** The alarm of the pass would do the work again after ten seconds, which are over on a busy machine. */
  async function withoutAlarm(wallet: Wallet): Promise<void> {
    const { gatekeeperNetwork } = seededPartner('acme');
    const name = passName({ gatekeeperNetwork, chain: 'ethereum', network: 'sepolia', wallet });
    const object = (env as Env).PASSES.getByName(name);
    keepAlive(object);
    await runInDurableObject(object, (_, { storage }) => void vi.spyOn(storage, 'setAlarm').mockResolvedValue());
  }

  /**
   * Returns the cost of a pass with this many waiters by POST and as many by GET, and the time that another pass took
   * meanwhile.
   */
  async function costOf(waiters: number) {
    for (const spy of [takenOf, submittedTo]) spy.mockClear();
    const { TOKEN_ISSUER, JWKS_URL } = env;
    const { send, uses } = recordedWorker({ TOKEN_ISSUER, JWKS_URL });
    const api = acme.through(send);
    await api.search({});
    forget(uses);
    const wallet = aWallet();
    await withoutAlarm(wallet);
    const many = <T>(make: () => T) => Array.from({ length: waiters }, make);
    let toAnother = 0;
    let told = 0;
    let answers: Answer[] = [];
    await withoutBlocks('sepolia', async () => {
      const begun = () => uses.calls.filter(({ method }) => method === 'awaitSettlement');
      const haveBegun = (count: number) => eventually(() => expect(begun()).toHaveLength(count));
      const waiting = many(() => issueWaiting(wallet, 'wait=20', api));
      await haveBegun(waiters);
      await acme.watch(SEPOLIA, wallet, ({ events }) => events[0]?.transaction !== undefined);
      waiting.push(...many(() => fetchWaiting(wallet, 'wait=20', api)));
      await haveBegun(2 * waiters);
      const [another, quietly] = [aWallet(), acme.through(workerWithoutQueue)];
      [, toAnother] = await measure(quietly.issue(SEPOLIA, another).then(() => acme.fetch(SEPOLIA, another)));
      await callNodeOf('sepolia', 'evm_mine');
      [answers, told] = await measure(Promise.all(waiting));
    });
    const isAbout = ({ step }: { step?: { key: { wallet: string } } | undefined }) => step?.key.wallet === wallet;
    const taken = takenOf.mock.contexts.filter((object) => stateOf(object).id.name?.endsWith(wallet));
    const submitted = submittedTo.mock.calls.filter(([inquiries]) => inquiries.some(isAbout));
    return {
      answers,
      toAnother,
      told,
      cost: {
        messages: uses.messages.length,
        statements: uses.statements.map(({ sql }) => sql.trim().slice(0, 20)),
        taken: taken.length,
        submitted: submitted.length,
      },
    };
  }

  it('serves a hundred waiters with one message and one step, replies to all together, and delays no other pass', async () => {
    // The first issuance on the network also chooses the contract.
    await acme.issue('ethereum/sepolia', aWallet());
    const one = await costOf(1);
    const { answers, toAnother, told, cost } = await costOf(100);
    const shown = answers.map((answer) => [answer.record.state, appliedPreference(answer)]);
    expect(shown).toEqual(Array(200).fill(['ACTIVE', 'wait=20']));
    expect(cost).toEqual(one.cost);
    expect(cost).toMatchObject({ messages: 1, taken: 1 });
    // A request that is delayed or not woken takes the twenty seconds that it may wait.
    expect(Math.max(toAnother, told)).toBeLessThan(20_000);
  });
});
