import { env } from 'cloudflare:workers';
import type { Hex } from 'viem';
import { parseTransaction } from 'viem/utils';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { CONTRACT_BUILDS } from '../../../src/chain/ethereum/contract-control.ts';
import { openChain } from '../../../src/chain/open-chain.ts';
import type { ChainPort } from '../../../src/chain/port.ts';
import { openEthereumKey } from '../../../src/chain/signing/kms-key.ts';
import { configOf } from '../../../src/config/parse-config.ts';
import type { EnabledNetwork } from '../../../src/config/signers.ts';
import type { SubmittedStep } from '../../../src/pass/step.ts';
import { trackInFlight } from '../../../src/signer-object/confirm.ts';
import { ContractCodes } from '../../../src/signer-object/contract-codes.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import type { StepEntry } from '../../../src/signer-object/schema.ts';
import { sendWaiting, signSteps } from '../../../src/signer-object/send.ts';
import type { Signer } from '../../../src/signer-object/signer.ts';
import { findStep } from '../../../src/signer-object/step-queries.ts';
import { aStep, callSepolia, makeBlocksByHand, mine, sepolia } from '../chain/ethereum/node.ts';
import { gatekeeperIn, setFaults } from '../chain/signing/kms.ts';
import * as solana from '../chain/solana/node.ts';
import { reasonOf, signedFor } from './send-step.ts';
import { withSigner } from './with-signer.ts';

/**
 * Changes while a batch is being signed: the signer stores and sends no signature that it would no longer make. The keys are a
 * secret, whose signatures the test delays, and a KMS that signs six at a time.
 */

const onSecret = () => sepolia();
const onKms = () => ({ ...sepolia(), gatekeeper: gatekeeperIn('aws', 'ethereum') });
const onSolana = () => solana.devnet();

makeBlocksByHand();
beforeEach(() => setFaults());
afterEach(() => {
  vi.useRealTimers();
  return setFaults();
});

const THIEF = 'thief';
const of = (client: string, step = aStep()): SubmittedStep => ({ ...step, client });
const manyOf = (client: string, count: number) => Array.from({ length: count }, () => of(client));
const isStored =
  (signer: Signer) =>
  ({ id }: SubmittedStep) =>
    signedFor(signer, id).length > 0;
const nonceOf = (signer: Signer, { id }: SubmittedStep) =>
  parseTransaction(signedFor(signer, id)[0]?.bytes as Hex).nonce as number;

interface Scene {
  readonly signer: Signer;
  /** Does that once, before the first signature is made. */
  readonly whileSigning: (work: () => unknown) => void;
  readonly suspend: (...clients: string[]) => Promise<void>;
  /** The same, without a notice to the signer. */
  readonly suspendSilently: (...clients: string[]) => void;
}

/** Runs the function with a signer whose signatures the test delays. */
function signing(name: string, on: EnabledNetwork, part: (scene: Scene) => Promise<void>): Promise<void> {
  const real = openChain(on, configOf(env));
  let work: () => unknown = () => undefined;
  let worked: Promise<unknown> | undefined;
  let suspended: readonly string[] = [];
  const prepare: ChainPort['prepare'] = async (requests, unmined) => {
    const { results, ...rest } = await real.prepare(requests, unmined);
    const delayed = results.map(([request, result]) => {
      if (result.type !== 'ready') return [request, result] as const;
      const sign: typeof result.sign = async (...call) => {
        worked ??= (async () => work())();
        await worked;
        return result.sign(...call);
      };
      return [request, { ...result, sign }] as const;
    });
    return { ...rest, results: delayed };
  };
  return withSigner(
    name,
    (signer) =>
      part({
        signer,
        whileSigning(next) {
          work = next;
          worked = undefined;
        },
        suspend(...clients) {
          suspended = clients;
          return signer.suspended.reread(Date.now());
        },
        suspendSilently(...clients) {
          suspended = clients;
        },
      }),
    { on, chain: { prepare }, unmined: 100, suspended: async () => suspended },
  );
}

it.each([
  ['a KMS', onKms, aStep],
  ['a secret on Ethereum', onSecret, aStep],
  ['a secret on Solana', onSolana, solana.aStep],
])('stores and sends no step of a client that is suspended while %s signs a batch of 30', async (key, on, make) => {
  await signing(`suspended during ${key}`, on(), async ({ signer, whileSigning, suspend }) => {
    const steps = Array.from({ length: 30 }, () => of(THIEF, make()));
    const freeze = { ...of(THIEF, make({ kind: 'freeze' })), rank: 0 } as const;
    addSteps(signer, steps);
    whileSigning(() => suspend(THIEF));
    expect(await sendWaiting(signer)).toEqual([]);
    expect(steps.filter(isStored(signer))).toEqual([]);
    expect(signer.storage.kv.get('nextNonce')).toBeUndefined();
    expect(steps.map((step) => reasonOf(signer, step)).every((text) => text.includes('is suspended'))).toBe(true);
    expect(signer.suspended.allows(freeze)).toBe(true);
    // They wait for the end of the suspension, and for nothing else.
    await suspend();
    expect(await sendWaiting(signer)).toHaveLength(30);
  });
});

it('reads the list of suspended clients again after signatures that took longer than the list is fresh', async () => {
  await signing('a slow KMS', onKms(), async ({ signer, whileSigning, suspendSilently }) => {
    const steps = manyOf(THIEF, 3);
    addSteps(signer, steps);
    whileSigning(() => {
      suspendSilently(THIEF);
      vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 31_000 });
    });
    expect(await sendWaiting(signer)).toEqual([]);
    expect(steps.filter(isStored(signer))).toEqual([]);
  });
});

it.each([
  ['a KMS', onKms],
  ['a secret', onSecret],
])('sends the steps of others in the same run, without a gap in the nonces, while %s signs', async (key, on) => {
  await signing(`others beside ${key}`, on(), async ({ signer, whileSigning, suspend }) => {
    const [before, stolen, behind] = [manyOf('partner', 3), manyOf(THIEF, 2), manyOf('partner', 4)];
    addSteps(signer, [...before, ...stolen, ...behind]);
    whileSigning(() => suspend(THIEF));
    const sent = await sendWaiting(signer);
    const innocent = [...before, ...behind];
    expect(sent.map(({ id }) => id)).toEqual(innocent.map(({ id }) => id));
    const [first = 0] = innocent.map((step) => nonceOf(signer, step));
    expect(innocent.map((step) => nonceOf(signer, step) - first)).toEqual([0, 1, 2, 3, 4, 5, 6]);
    expect(stolen.filter(isStored(signer))).toEqual([]);
    await mine();
  });
});

it('stores and sends no step of a key that is found to be compromised while a KMS signs', async () => {
  await signing('compromised meanwhile', onKms(), async ({ signer, whileSigning }) => {
    const steps = manyOf('partner', 30);
    const changing = { ...signer, isCompromised: false };
    addSteps(changing, steps);
    whileSigning(() => Object.assign(changing, { isCompromised: true }));
    expect(await sendWaiting(changing)).toEqual([]);
    expect(steps.filter(isStored(signer))).toEqual([]);
    // The next run withdraws them, so that the signer of another key does them.
    expect(await sendWaiting(changing)).toEqual([]);
    expect(new Set(steps.map(({ id }) => signer.steps.answerFor(id)?.status.type))).toEqual(new Set(['withdrawn']));
  });
});

it.each([
  ['a KMS', onKms],
  ['a secret', onSecret],
])('gets no signature of %s that is found to be compromised while it signs, and none later', async (_, on) => {
  let compromised = false;
  const key = openEthereumKey({
    ...on().gatekeeper,
    get compromised() {
      return compromised;
    },
  });
  const bytes = crypto.getRandomValues(new Uint8Array(64));
  expect(await key.sign(bytes)).toHaveLength(65);
  const signing = key.sign(bytes);
  compromised = true;
  await expect(signing).rejects.toThrow('the key is compromised');
  await expect(key.sign(bytes)).rejects.toThrow('the key is compromised');
});

it('stores and sends no issuance in a contract whose code is found to be unknown while a KMS signs', async () => {
  await signing('other code meanwhile', onKms(), async ({ signer, whileSigning }) => {
    const { network } = sepolia();
    const { contract } = aStep();
    const known = {
      codeHash: CONTRACT_BUILDS.gatewayToken.codeHash,
      implementation: null,
      superAdmins: [],
      forwarders: [],
    };
    const seen = {
      ...known,
      confirmed: true,
      checkedAt: 1,
      changes: 0,
      changedAt: null,
      shownHash: CONTRACT_BUILDS.gatewayToken.codeHash,
    };
    const contracts = new ContractCodes({ ...signer, network }, async () => ({ [contract]: seen }));
    const watching = { ...signer, contracts };
    const steps = manyOf('partner', 30);
    addSteps(watching, steps);
    const changed = { ...seen, checkedAt: 2, shownHash: `0x${'ab'.repeat(32)}` } as const;
    whileSigning(() => contracts.learn(Date.now(), { [contract]: changed }));
    expect(await sendWaiting(watching)).toEqual([]);
    expect(steps.filter(isStored(signer))).toEqual([]);
    expect(new Set(steps.map(({ id }) => findStep(signer.storage.sql, network, id)?.reason?.code))).toEqual(
      new Set(['contract-code-unknown']),
    );
  });
});

it('mints no second token if the first mint of the wallet leaves the chain while a KMS signs', async () => {
  await signing('reorg meanwhile', onKms(), async ({ signer, whileSigning }) => {
    const first = aStep();
    const snapshot = await callSepolia<string>('evm_snapshot');
    addSteps(signer, [first]);
    await sendWaiting(signer);
    await mine();
    await trackInFlight(signer);
    expect(signer.steps.answerFor(first.id)?.status.type).toBe('confirmed');
    const again = { ...aStep(), key: first.key };
    addSteps(signer, [again]);
    const entryOf = ({ id }: SubmittedStep) => findStep(signer.storage.sql, signer.network, id) as StepEntry;
    await callSepolia('evm_revert', snapshot);
    // As the next tracking does.
    whileSigning(() => signer.steps.setVanished(entryOf(first), '0x1', Date.now()));
    expect(await signSteps(signer, [entryOf(again)], 10)).toEqual([]);
    expect(isStored(signer)(again)).toBe(false);
    expect(reasonOf(signer, again)).toBe('another issuance for the wallet is in no block yet');
  });
});

it('does not make a step wait for a suspended client if another client requests it while it is signed', async () => {
  await signing('taken over meanwhile', onKms(), async ({ signer, whileSigning, suspend }) => {
    const step = of(THIEF);
    addSteps(signer, [step]);
    whileSigning(async () => {
      addSteps(signer, [{ ...step, client: 'partner' }]);
      await suspend(THIEF);
    });
    expect(await sendWaiting(signer)).toMatchObject([{ id: step.id }]);
    await mine();
  });
});

it('does not make a step wait for a suspended client if another client requests it while it is prepared', async () => {
  await signing('taken over before', onSecret(), async ({ signer, suspend }) => {
    const step = of(THIEF);
    addSteps(signer, [step]);
    const { prepare } = signer.chain;
    const slow: ChainPort['prepare'] = async (...call) => {
      const prepared = await prepare(...call);
      addSteps(signer, [{ ...step, client: 'partner' }]);
      await suspend(THIEF);
      return prepared;
    };
    await sendWaiting({ ...signer, chain: { ...signer.chain, prepare: slow } });
    expect(isStored(signer)(step)).toBe(true);
    await mine();
  });
});
