import { env } from 'cloudflare:workers';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { CONTRACT_BUILDS, type SeenContract } from '../../../src/chain/ethereum/contract-control.ts';
import { openChain } from '../../../src/chain/open-chain.ts';
import { configOf } from '../../../src/config/parse-config.ts';
import type { Hex } from '../../../src/lib/bytes.ts';
import type { SubmittedStep } from '../../../src/pass/step.ts';
import { rankOf } from '../../../src/pass/step-kinds.ts';
import { trackInFlight } from '../../../src/signer-object/confirm.ts';
import { ContractCodes } from '../../../src/signer-object/contract-codes.ts';
import { addSteps } from '../../../src/signer-object/queue.ts';
import { sendWaiting } from '../../../src/signer-object/send.ts';
import type { Signer } from '../../../src/signer-object/signer.ts';
import { findStep } from '../../../src/signer-object/step-queries.ts';
import { tokenData, tokenIdOf, tokensOf } from '../chain/ethereum/issuing.ts';
import { aStep, callSepolia, makeBlocksByHand, mine, sepolia } from '../chain/ethereum/node.ts';
import { accounts, mintAsOther, sendAs, setGatekeeper } from '../chain/ethereum/others.ts';
import { installSlimContract, SLIM_CONTRACT } from '../second-contract.ts';
import { withSigner } from './with-signer.ts';

/** A signer of a contract of the build SlimGateway. The test makes the blocks. */

makeBlocksByHand();
beforeAll(() => installSlimContract());
afterEach(() => mine(4));

/** @param shownHash As two endpoints showed it. */
const seenAs = (codeHash: Hex, shownHash: Hex | undefined = codeHash): SeenContract => ({
  ...{ codeHash, implementation: null, superAdmins: [], forwarders: [] },
  ...{ confirmed: shownHash !== undefined, checkedAt: 1, changes: 0, changedAt: null, shownHash },
});
const { codeHash: SLIM_CODE } = CONTRACT_BUILDS.slimGateway;
const SLIM = seenAs(SLIM_CODE);
const SLIM_BY_ONE: SeenContract = { ...SLIM, confirmed: false, shownHash: undefined };

/** Runs the function with a signer whose watcher has shown that code. */
const withCode = (
  name: string,
  seenContract: SeenContract,
  part: (signer: Signer) => Promise<void>,
  hasOneEndpoint = false,
) =>
  withSigner(name, async (signer) => {
    const { network } = sepolia();
    const seen = { [SLIM_CONTRACT]: seenContract };
    const contracts = new ContractCodes({ ...signer, network, hasOneEndpoint }, async () => seen);
    contracts.learn(Date.now(), seen);
    const chain = openChain(sepolia(), configOf(env), (contract) => contracts.derivesTokenIds(contract));
    await part({ ...signer, contracts, chain: { ...chain, readBlockMs: async () => network.blockMs } });
  });

const statusOf = (signer: Signer, { id }: SubmittedStep) => signer.steps.answerFor(id)?.status;
const reasonOf = ({ storage, network }: Signer, { id }: SubmittedStep) =>
  findStep(storage.sql, network, id)?.reason?.code;

/** Adds the step and runs until the block that has it. */
async function confirm(signer: Signer, step: SubmittedStep): Promise<number> {
  addSteps(signer, [step]);
  await sendWaiting(signer);
  await mine();
  await trackInFlight(signer);
  return Number(await callSepolia<string>('eth_blockNumber'));
}

const changeOf = (issuance: SubmittedStep, kind: 'freeze' | 'revoke' | 'set-expiry', asOf: number): SubmittedStep => ({
  ...{ ...issuance, id: `${issuance.id}1`, kind, rank: rankOf(kind) },
  expiry: kind === 'set-expiry' ? 2_000_000_000 : undefined,
  known: { state: 'ACTIVE', asOf },
});

it.each([
  ['two endpoints show', SLIM, false],
  ['the only endpoint shows', SLIM_BY_ONE, true],
])('confirms a freeze in the block after the mint if %s the code', async (name, seen, hasOneEndpoint) => {
  const part = async (signer: Signer) => {
    const issuance = aStep({ contract: SLIM_CONTRACT });
    const freeze = changeOf(issuance, 'freeze', await confirm(signer, issuance));
    await confirm(signer, freeze);
    expect(statusOf(signer, freeze)).toMatchObject({
      type: 'confirmed',
      onChain: { state: 'FROZEN' },
      basedOnNonFinal: true,
    });
    expect(statusOf(signer, issuance)?.type).toBe('confirmed');
    await mine(4);
    await trackInFlight(signer);
    expect([issuance, freeze].map(({ id }) => findStep(signer.storage.sql, signer.network, id)?.stage)).toEqual([
      'final',
      'final',
    ]);
  };
  await withCode(name, seen, part, hasOneEndpoint);
});

it.each([
  ['unknown code', seenAs(`0x${'ab'.repeat(32)}`)],
  ['the code of GatewayToken', seenAs(CONTRACT_BUILDS.gatewayToken.codeHash)],
  ['code that only one of two endpoints has shown', SLIM_BY_ONE],
])('waits for the final mint in a contract with %s', async (name, seen) => {
  await withCode(name, seen, async (signer) => {
    const issuance = aStep({ contract: SLIM_CONTRACT });
    // The issuance does not wait for the code.
    const block = await confirm({ ...signer, contracts: undefined }, issuance);
    const freeze = changeOf(issuance, 'freeze', block);
    await confirm(signer, freeze);
    expect([statusOf(signer, freeze)?.type, reasonOf(signer, freeze)]).toEqual(['waiting', 'mint-not-final']);
  });
});

it('brings a mint and the freeze after it back after a reorg, also after a restart', async () => {
  await withCode('reorg', SLIM, async (signer) => {
    const issuance = aStep({ contract: SLIM_CONTRACT });
    const snapshot = await callSepolia<string>('evm_snapshot');
    const freeze = changeOf(issuance, 'freeze', await confirm(signer, issuance));
    await confirm(signer, freeze);
    await callSepolia('evm_revert', snapshot);
    await callSepolia('anvil_dropAllTransactions');
    await mine(2);
    signer.steps.reload();
    await trackInFlight(signer);
    expect([issuance, freeze].map((step) => statusOf(signer, step)?.type)).toEqual(['vanished', 'vanished']);
    await sendWaiting(signer);
    await mine();
    await trackInFlight(signer);
    expect([issuance, freeze].map((step) => statusOf(signer, step)?.type)).toEqual(['confirmed', 'confirmed']);
    expect(await tokensOf(issuance)).toMatchObject([{ state: 'FROZEN' }]);
  });
});

/** Adds a change of an issued token, which others then burn and mint again. */
async function addBeforeBurn(signer: Signer, kind: 'freeze' | 'revoke' | 'set-expiry'): Promise<SubmittedStep> {
  const issuance = aStep({ contract: SLIM_CONTRACT });
  const block = await confirm(signer, issuance);
  await mine(4);
  await trackInFlight(signer);
  const step = changeOf(issuance, kind, block);
  addSteps(signer, [step]);
  const { other } = await accounts();
  await setGatekeeper(issuance, other, true);
  await sendAs(other, SLIM_CONTRACT, tokenData('burn', await tokenIdOf(issuance)));
  await mintAsOther(issuance);
  signer.steps.reload();
  await sendWaiting(signer);
  return step;
}

it.each([
  ['freeze', 'FROZEN'],
  ['revoke', 'REVOKED'],
] as const)('does a %s that waits while others burn its token and mint it again', async (kind, state) => {
  await withCode(`burned before ${kind}`, SLIM, async (signer) => {
    const step = await addBeforeBurn(signer, kind);
    await mine();
    await trackInFlight(signer);
    expect(statusOf(signer, step)).toMatchObject({ type: 'confirmed', onChain: { state } });
    expect(await tokensOf(step)).toMatchObject([{ state }]);
  });
});

it('ends a step that waits while others burn its token and mint it again, also after a restart', async () => {
  await withCode('burned', SLIM, async (signer) => {
    const change = await addBeforeBurn(signer, 'set-expiry');
    expect([statusOf(signer, change)?.type, reasonOf(signer, change)]).toEqual(['waiting', 'tokens-not-final']);
    await mine(4);
    signer.steps.retryNow([change.id]);
    await sendWaiting(signer);
    expect(statusOf(signer, change)).toMatchObject({
      type: 'found',
      onChain: { state: 'ACTIVE', burnedAt: expect.any(Number) },
    });
    expect(await tokensOf(change)).toEqual([{ state: 'ACTIVE', expiry: 0 }]);
  });
});
