import { env } from 'cloudflare:workers';
import { base58 } from '@scure/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { GATEKEEPERS } from '../../../localnet/ethereum/gatekeepers.ts';
import { SOLANA_GATEKEEPERS } from '../../../localnet/solana/gatekeepers.ts';
import { configOf } from '../../../src/config/config.ts';
import { chooseSigner, type EnabledSolana, signerNameOf, signersOn } from '../../../src/config/signers.ts';
import { findNetwork } from '../../../src/network/networks.ts';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import { findPass } from '../../../src/store/passes.ts';
import { issueAnother, tokenOf } from '../chain/solana/issuing.ts';
import { aStep, devnet, untilFinal as untilFinalOnSolana } from '../chain/solana/node.ts';
import { aNight } from '../consumer/a-night.ts';
import { aPassOfWhich, holding } from './a-pass-of-which.ts';
import type { PassRecord } from './answer.ts';
import { partner, seeded, workerWith } from './api.ts';
import { rpc } from './node.ts';
import { untilFinal } from './on-sepolia.ts';
import { aWallet } from './wallets.ts';

/**
 * Two gatekeeper keys on each chain. As deployed here the second is retired; where a request is to find both of them taking
 * new passes, it comes through a Worker without that variable: it is the request that chooses.
 */

const bindings = env as Env;
const { gatekeeperNetwork } = seeded('acme');
const acme = await partner('acme');
const WITH_BOTH = { RETIRED_GATEKEEPERS: '' };
const withBoth = acme.through(workerWith(WITH_BOTH));
const ALL_RETIRED = { RETIRED_GATEKEEPERS: [...GATEKEEPERS, ...SOLANA_GATEKEEPERS].join(' ') };

const CHAINS = [
  { chain: 'ethereum', network: 'sepolia', keys: GATEKEEPERS, draw: aWallet, settle: untilFinal },
  {
    chain: 'solana',
    network: 'devnet',
    keys: SOLANA_GATEKEEPERS,
    draw: () => base58.encode(crypto.getRandomValues(new Uint8Array(32))),
    settle: untilFinalOnSolana,
  },
] as const;

/** Which of two keys a new pass is given. */
function chosen({ chain, network }: (typeof CHAINS)[number], key: PassKey): string | undefined {
  const config = configOf({ ...env, ...WITH_BOTH });
  const row = findNetwork(config.networks, chain, network);
  const signer = row && chooseSigner(config, row, passName(key));
  return signer && signerNameOf(signer);
}

/** Who issued the token of that pass or, on Ethereum-type networks, changed it last: as the chain has it. */
async function issuerOf({ chain, network, wallet }: PassKey): Promise<string | undefined> {
  if (chain === 'solana') return (await tokenOf(aStep({ wallet, gatekeeperNetwork })))?.issuer;
  const { events } = (await acme.fetch(`${chain}/${network}`, wallet)).record;
  const sent = await rpc(network, 'eth_getTransactionByHash', events.at(-1)?.transaction?.identifier);
  return GATEKEEPERS.find((address) => address.toLowerCase() === (sent as { from: string }).from);
}

const signerOf = async (key: PassKey) => (await bindings.PASSES.getByName(passName(key)).readOnChain())?.signer;

describe.each(CHAINS)('on $network', (where) => {
  const { chain, network, keys, draw, settle } = where;
  const on = `${chain}/${network}`;
  const [first, second] = [`${on}/${keys[0]}`, `${on}/${keys[1]}`];
  const is = (state: string) => (record: PassRecord) => record.state === state && record.onChainState === state;

  /** The key of a wallet whose pass goes to that signer, as long as both take new ones. */
  function aKeyFor(signer: string): PassKey {
    for (;;) {
      const key: PassKey = { gatekeeperNetwork, chain, network, wallet: draw() };
      if (chosen(where, key) === signer) return key;
    }
  }

  const becomes = async ({ wallet }: PassKey, state: string): Promise<PassRecord> =>
    (await acme.watch(on, wallet, is(state))).at(-1) as PassRecord;

  /** Passes that both keys were there for, by the signer that each is given. */
  const [ofFirst, ofSecond] = [aKeyFor(first), aKeyFor(second)];
  /** One that the second key would be given. */
  const late = aKeyFor(second);

  beforeAll(async () => {
    for (const { wallet } of [ofFirst, ofSecond]) expect((await withBoth.issue(on, wallet)).status).toBe(202);
    expect((await acme.issue(on, late.wallet)).status).toBe(202);
    await Promise.all([ofFirst, ofSecond, late].map((key) => becomes(key, 'ACTIVE')));
    await settle();
  });

  it('passes of both keys become active, each issued by its own', async () => {
    expect(await Promise.all([ofFirst, ofSecond].map(signerOf))).toEqual([first, second]);
    expect(await Promise.all([ofFirst, ofSecond].map(issuerOf))).toEqual([keys[0], keys[1]]);
  });

  it('new passes go to the key that is left when one is retired', async () => {
    expect([await signerOf(late), await issuerOf(late)]).toEqual([first, keys[0]]);
  });

  it('a pass of a retired key keeps it: it is frozen by it, and asking again changes nothing', async () => {
    const { status, text } = await acme.issue(on, ofSecond.wallet);
    expect([status, text]).toEqual([202, (await acme.fetch(on, ofSecond.wallet)).text]);
    expect((await acme.update(on, ofSecond.wallet, { state: 'FROZEN' })).status).toBe(200);
    await becomes(ofSecond, 'FROZEN');
    expect([await signerOf(ofSecond), await issuerOf(ofSecond)]).toEqual([second, keys[1]]);
  });

  it('a rejected pass of a retired key is tried again by one that takes new ones', async () => {
    const status = { type: 'failed', reason: 'no' } as const;
    const wallet = await aPassOfWhich({ gatekeeperNetwork, chain, network }, status, second);
    const again: PassKey = { gatekeeperNetwork, chain, network, wallet };
    expect((await acme.fetch(on, wallet)).record.state).toBe('REJECTED');
    await acme.issue(on, wallet);
    await becomes(again, 'ACTIVE');
    expect([await signerOf(again), await issuerOf(again)]).toEqual([first, keys[0]]);
  });

  it('the nightly comparison goes over the passes of a retired key too', async () => {
    await bindings.DB.prepare('DELETE FROM passes WHERE wallet = ?').bind(ofSecond.wallet).run();
    expect((await aNight()).counts).toMatchObject({ 'row-missing': 1 });
    expect(await findPass(bindings.DB, ofSecond)).toBeDefined();
  });

  it('a pass whose key is gone can be read and wished for, and waits', async () => {
    const wallet = await aPassOfWhich(
      { gatekeeperNetwork, chain, network },
      holding({ state: 'ACTIVE' }),
      `${on}/gone`,
    );
    const { problem } = await acme.sync(on, wallet);
    expect([problem.status, problem.code]).toEqual([503, 'temporarily_unavailable']);
    expect((await acme.revoke(on, wallet)).status).toBe(200);
    const { status, record } = await acme.fetch(on, wallet);
    expect([status, record]).toMatchObject([200, { state: 'REVOKED', onChainState: 'ACTIVE' }]);
  });

  it('where every key is retired nothing new is issued; what there is can be read and changed', async () => {
    const retired = acme.through(workerWith(ALL_RETIRED));
    const { problem } = await retired.issue(on, draw());
    expect([problem.status, problem.code]).toEqual([400, 'network_not_enabled']);
    expect((await retired.sync(on, ofFirst.wallet)).status).toBe(200);
    expect((await retired.revoke(on, ofFirst.wallet)).status).toBe(200);
    await becomes(ofFirst, 'REVOKED');
  });
});

it('on Solana a token that another of our keys has issued is adopted by that key: it can be frozen', async () => {
  const on = 'solana/devnet';
  const step = aStep();
  const { wallet } = step.key;
  const [, second] = signersOn(configOf(env), devnet().network);
  await issueAnother(step, 0, undefined, second as EnabledSolana);
  await untilFinalOnSolana();
  await acme.issue(on, wallet);
  await acme.watch(on, wallet, ({ onChainState }) => onChainState === 'ACTIVE');
  expect((await acme.update(on, wallet, { state: 'FROZEN' })).status).toBe(200);
  await acme.watch(on, wallet, ({ onChainState }) => onChainState === 'FROZEN');
  expect(await signerOf(step.key)).toBe(`${on}/${SOLANA_GATEKEEPERS[1]}`);
});
