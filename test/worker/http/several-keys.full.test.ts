import { env } from 'cloudflare:workers';
import { base58 } from '@scure/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { configOf } from '../../../src/config/parse-config.ts';
import { chooseSigner, type EnabledSolana, signersOn } from '../../../src/config/signers.ts';
import { findNetwork } from '../../../src/network/networks.ts';
import type { Wallet } from '../../../src/network/wallet.ts';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import { findPass } from '../../../src/store/search.ts';
import { GATEKEEPERS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import { SOLANA_GATEKEEPERS } from '../../../tools/localnet/solana/gatekeepers.ts';
import { expectProblem } from '../../problem.ts';
import { issueAnother, tokenOf } from '../chain/solana/issuing.ts';
import { aStep, devnet, untilFinal as untilFinalOnSolana } from '../chain/solana/node.ts';
import { configurePassObject } from '../configure-object.ts';
import { aNight } from '../consumer/reconciliation-night.ts';
import { aPass } from './a-pass.ts';
import type { PassRecord } from './answer.ts';
import { partner, register, seededPartner, workerWith } from './api.ts';
import { callNodeOf } from './node.ts';
import { untilFinal } from './sepolia-contract.ts';
import { aWallet } from './wallets.ts';

/**
 * Two gatekeeper keys on each chain. The deployment of the tests retires the second key. For a request with both keys
 * in
 * service, a test removes that variable from the pass object, because the pass object chooses the key.
 */

const bindings = env as Env;
const { gatekeeperNetwork } = seededPartner('acme');
const acme = await partner('acme');
const WITH_BOTH = { RETIRED_GATEKEEPERS: '' };
const ALL_RETIRED = { RETIRED_GATEKEEPERS: [...GATEKEEPERS, ...SOLANA_GATEKEEPERS].join(' ') };

const CHAINS = [
  { chain: 'ethereum', network: 'sepolia', keys: GATEKEEPERS, draw: aWallet, settle: untilFinal },
  {
    chain: 'solana',
    network: 'devnet',
    keys: SOLANA_GATEKEEPERS,
    draw: () => base58.encode(crypto.getRandomValues(new Uint8Array(32))) as Wallet,
    settle: untilFinalOnSolana,
  },
] as const;

/** Returns the signer that a new pass gets. */
function chosen({ chain, network }: (typeof CHAINS)[number], key: PassKey): string | undefined {
  const config = configOf({ ...env, ...WITH_BOTH });
  const row = findNetwork(config.networks, chain, network);
  return row && chooseSigner(config, row, passName(key));
}

/** Returns the issuer of the token on chain. On Ethereum-type networks, returns the key that changed it last. */
async function issuerOf({ chain, network, wallet }: PassKey): Promise<string | undefined> {
  if (chain === 'solana') return (await tokenOf(aStep({ wallet, gatekeeperNetwork })))?.issuer;
  const { events } = (await acme.fetch(`${chain}/${network}`, wallet)).record;
  const sent = await callNodeOf(network, 'eth_getTransactionByHash', events.at(-1)?.transaction?.identifier);
  return GATEKEEPERS.find((address) => address.toLowerCase() === (sent as { from: string }).from);
}

const signerOf = async (key: PassKey) => (await bindings.PASSES.getByName(passName(key)).readOnChain())?.signer;

describe.each(CHAINS)('two gatekeeper keys on $network', (where) => {
  const { chain, network, keys, draw, settle } = where;
  const on = `${chain}/${network}`;
  const [first, second] = [`${on}/${keys[0]}`, `${on}/${keys[1]}`];
  const is = (state: string) => (record: PassRecord) => record.state === state && record.onChainState === state;

  /** Returns the key of a pass that gets this signer while both accept new passes. */
  function aKeyFor(signer: string): PassKey {
    for (;;) {
      const key: PassKey = { gatekeeperNetwork, chain, network, wallet: draw() };
      if (chosen(where, key) === signer) return key;
    }
  }

  const becomes = async ({ wallet }: PassKey, state: string): Promise<PassRecord> =>
    (await acme.watch(on, wallet, is(state))).at(-1) as PassRecord;

  /** Passes that were requested while both keys were in service, by their signer. */
  const [ofFirst, ofSecond] = [aKeyFor(first), aKeyFor(second)];
  /** A pass that the second key would get if it were in service. */
  const late = aKeyFor(second);

  beforeAll(async () => {
    for (const key of [ofFirst, ofSecond]) {
      await configurePassObject(key, WITH_BOTH);
      expect((await acme.issue(on, key.wallet)).status).toBe(202);
    }
    expect((await acme.issue(on, late.wallet)).status).toBe(202);
    await Promise.all([ofFirst, ofSecond, late].map((key) => becomes(key, 'ACTIVE')));
    await settle();
  });

  it('activates the passes of both signers, each with its own key', async () => {
    expect(await Promise.all([ofFirst, ofSecond].map(signerOf))).toEqual([first, second]);
    expect(await Promise.all([ofFirst, ofSecond].map(issuerOf))).toEqual([keys[0], keys[1]]);
  });

  it('gives new passes to the remaining key after the other is retired', async () => {
    expect([await signerOf(late), await issuerOf(late)]).toEqual([first, keys[0]]);
  });

  it('keeps the retired key for its pass: it freezes the pass, and a repeated issuance changes nothing', async () => {
    const { status, text } = await acme.issue(on, ofSecond.wallet);
    expect([status, text]).toEqual([202, (await acme.fetch(on, ofSecond.wallet)).text]);
    expect((await acme.update(on, ofSecond.wallet, { state: 'FROZEN' })).status).toBe(200);
    await becomes(ofSecond, 'FROZEN');
    expect([await signerOf(ofSecond), await issuerOf(ofSecond)]).toEqual([second, keys[1]]);
  });

  it('tries a rejected pass of a retired key again with a key that accepts new passes', async () => {
    const rejected = { state: 'REJECTED', signer: second, place: 'object' } as const;
    const again = await aPass({ gatekeeperNetwork, chain, network, ...rejected });
    const { wallet } = again;
    expect((await acme.fetch(on, wallet)).record.state).toBe('REJECTED');
    await acme.issue(on, wallet);
    await becomes(again, 'ACTIVE');
    expect([await signerOf(again), await issuerOf(again)]).toEqual([first, keys[0]]);
  });

  it('reconciles the passes of a retired key every night', async () => {
    await bindings.DB.prepare('DELETE FROM passes WHERE wallet = ?').bind(ofSecond.wallet).run();
    expect((await aNight()).counts).toMatchObject({ 'row-missing': 1 });
    expect(await findPass(bindings.DB, ofSecond)).toBeDefined();
  });

  it('changes the pass of a compromised key with a key in service, as far as the chain allows that key', async () => {
    const { wallet } = ofSecond;
    await configurePassObject(ofSecond, { COMPROMISED_GATEKEEPERS: keys[1] });
    if (chain === 'solana') {
      for (const change of [{ state: 'ACTIVE' }, { expiryTimestamp: 2_000_000_000 }] as const)
        expectProblem(await acme.update(on, wallet, change), 'issued_by_another_gatekeeper');
    } else {
      expect((await acme.update(on, wallet, { state: 'ACTIVE' })).status).toBe(200);
      await becomes(ofSecond, 'ACTIVE');
      expect([await signerOf(ofSecond), await issuerOf(ofSecond)]).toEqual([first, keys[0]]);
    }
    expect((await acme.revoke(on, wallet)).status).toBe(200);
    await becomes(ofSecond, 'REVOKED');
    expect(await signerOf(ofSecond)).toBe(first);
  });

  it.runIf(chain === 'solana')('does not renew the expired pass of a compromised key', async () => {
    const expiry = Math.floor(Date.now() / 1000) - 60;
    const pass = await aPass({ gatekeeperNetwork, chain, network, signer: second, expiry, place: 'object' });
    await configurePassObject(pass, { COMPROMISED_GATEKEEPERS: keys[1] });
    await register({ ...seededPartner('acme'), passLifetime: 3600 });
    const byDefault = await acme.through(workerWith({})).issue(on, pass.wallet);
    await register(seededPartner('acme'));
    const given = await acme.issue(on, pass.wallet, { expiryTimestamp: 2_000_000_000 });
    for (const answer of [byDefault, given]) expectProblem(answer, 'issued_by_another_gatekeeper');
  });

  it('returns and changes the record of a pass whose key is gone, and sends nothing for it', async () => {
    const { wallet } = await aPass({ gatekeeperNetwork, chain, network, signer: `${on}/gone`, place: 'object' });
    // Another key of the network reads it. Its token does not exist.
    expect((await acme.sync(on, wallet)).status).toBe(200);
    expect((await acme.revoke(on, wallet)).status).toBe(200);
    const { status, record } = await acme.fetch(on, wallet);
    expect([status, record]).toMatchObject([200, { state: 'REVOKED', onChainState: 'NONE' }]);
  });

  it('issues no new pass after every key is retired, and still reads and changes existing passes', async () => {
    const retired = acme.through(workerWith(ALL_RETIRED));
    const key: PassKey = { gatekeeperNetwork, chain, network, wallet: draw() };
    await configurePassObject(key, ALL_RETIRED);
    expectProblem(await retired.issue(on, key.wallet), 'network_not_enabled');
    expect((await retired.sync(on, ofFirst.wallet)).status).toBe(200);
    expect((await retired.revoke(on, ofFirst.wallet)).status).toBe(200);
    await becomes(ofFirst, 'REVOKED');
  });
});

it('adopts a Solana token with the configured key that issued it, so that the service can freeze it', async () => {
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
