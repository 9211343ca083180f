import { dirname } from 'node:path';
import { base58 } from '@scure/base';
import { describe, expect, inject, it } from 'vitest';
import type { WaitCode } from '../../../src/pass/wait-reasons.ts';
import { GATEKEEPER_KEYS } from '../../../tools/localnet/ethereum/gatekeepers.ts';
import type { KmsFault } from '../../../tools/localnet/kms/faults.ts';
import type { KmsServer } from '../../../tools/localnet/kms/server.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { SOLANA_GATEKEEPER_KEYS } from '../../../tools/localnet/solana/gatekeepers.ts';
import { LONG } from '../../form.ts';
import { ChainWitness } from '../chain-witness.ts';
import { readAdmin } from '../faults/scrape.ts';
import { pollUntil } from '../poll-until.ts';
import { expectCrowdOnEthereum, expectCrowdOnSolana } from './crowd.ts';
import { keysInKms } from './plant-secrets.ts';
import { runGatepass } from './run-gatepass.ts';
import { formsOf, searchFiles, searchProcess } from './search-bytes.ts';
import { expectWholeLife } from './whole-life.ts';

/** The service with all keys in a KMS: the key of Ethereum at AWS, the key of Solana at Google. */

/** The number of simultaneous issuances. */
const CROWD = LONG ? 200 : 50;
const NETWORKS = ['sepolia', 'devnet'] as const;
const TEN_MINUTES_MS = 600_000;

const { facts, acme, gatepass } = runGatepass({}, { kms: true });
const kms = () => gatepass().kms as KmsServer;
const chain = new ChainWitness(facts, () => acme().gatekeeperNetwork);

it.each(NETWORKS)('on %s every stage of a pass takes one transaction that the KMS has signed', async (network) => {
  kms().resetCalls();
  await expectWholeLife(acme(), chain, network);
  expect(kms().readCalls()).toMatchObject({ sign: 5, refused: 0 });
});

describe('issuance of a crowd', () => {
  it(`${CROWD} simultaneous issuances create ${CROWD} tokens with consecutive nonces, and the KMS signs once for each`, async () => {
    kms().resetCalls();
    await expectCrowdOnEthereum(acme(), facts(), CROWD);
    expect(kms().readCalls()).toMatchObject({ sign: CROWD, refused: 0 });
  });

  it(`${CROWD} simultaneous issuances create ${CROWD} accounts, and the KMS signs once for each`, async () => {
    kms().resetCalls();
    await expectCrowdOnSolana(acme(), facts().rpc.devnet ?? '', CROWD);
    expect(kms().readCalls()).toMatchObject({ sign: CROWD, refused: 0 });
  });
});

interface SignerView {
  readonly network: string;
  readonly paused: { readonly code: string } | null;
}

/** Resolves to the codes of the pauses by network. */
async function readPauses(): Promise<Record<string, string | undefined>> {
  const { signers } = JSON.parse(await readAdmin(facts(), 'signers')) as { signers: SignerView[] };
  return Object.fromEntries(signers.map(({ network, paused }) => [network, paused?.code]));
}

describe('while the KMS is not well', () => {
  interface Case {
    readonly fault: KmsFault;
    readonly sepolia: WaitCode | undefined;
    readonly devnet: WaitCode | undefined;
  }
  const both = (fault: KmsFault, code: WaitCode): Case => ({ fault, sepolia: code, devnet: code });
  const cases: readonly Case[] = [
    // A token of Google that is older than five minutes would be valid at that time.
    both({ kind: 'clock', ms: -TEN_MINUTES_MS }, 'kms-denied'),
    both({ kind: 'throttle' }, 'kms-throttled'),
    both({ kind: 'hang' }, 'kms-unanswered'),
    both({ kind: 'drop' }, 'kms-unanswered'),
    both({ kind: 'unavailable' }, 'kms-unanswered'),
    both({ kind: 'deny' }, 'kms-denied'),
    both({ kind: 'expired-credential' }, 'kms-denied'),
    both({ kind: 'disabled-key' }, 'kms-denied'),
    both({ kind: 'other-key' }, 'kms-wrong-answer'),
    both({ kind: 'malformed-signature' }, 'kms-wrong-answer'),
    { fault: { kind: 'wrong-checksum' }, sepolia: undefined, devnet: 'kms-wrong-answer' },
    { fault: { kind: 'high-s' }, sepolia: undefined, devnet: undefined },
  ];

  /** The first fault of each result in the short form: `test/worker/chain/signing/kms-lies.full.test.ts` has every fault. */
  const isFirst = ({ sepolia, devnet }: Case, index: number) =>
    cases.findIndex((each) => each.sepolia === sepolia && each.devnet === devnet) === index;

  it.each(LONG ? cases : cases.filter(isFirst))(
    '$fault.kind: the signers show the reason, and end the wait by themselves',
    async ({ fault, ...codes }) => {
      const count = () => Promise.all(NETWORKS.map((network) => chain.countTransactions(network)));
      const before = await count();
      kms().setFaults([fault]);
      const passes = NETWORKS.map((network) => ({ network, wallet: freshWallet(network), code: codes[network] }));
      for (const { network, wallet } of passes) await acme().issue(network, wallet);
      await pollUntil(readPauses, (shown) => passes.every(({ network, code }) => shown[network] === code));
      for (const { network, wallet, code } of passes) {
        if (code === undefined) await acme().untilSettled(network, wallet);
        else expect(await acme().fetch(network, wallet)).toMatchObject({ state: 'REQUESTED', onChainState: 'NONE' });
      }
      kms().setFaults([]);
      for (const { network, wallet } of passes) {
        expect(await acme().untilSettled(network, wallet)).toMatchObject({ state: 'ACTIVE' });
        expect(await chain.transactionsAbout(network, wallet)).toHaveLength(1);
        expect(await chain.accepts(network, wallet)).toBe(true);
      }
      expect(await count()).toEqual(before.map((each) => each + 1));
    },
  );

  it('a pass that waits shows the reason among the stuck passes', async () => {
    kms().setFaults([{ kind: 'deny' }]);
    const wallets = NETWORKS.map((network) => [network, freshWallet(network)] as const);
    for (const [network, wallet] of wallets) await acme().issue(network, wallet);
    const readCodes = async () => {
      const text = await readAdmin(facts(), 'stuck?olderThan=0');
      const { stuck } = JSON.parse(text) as { stuck: { code: string; pass: { walletAddress: string } }[] };
      return wallets.map(([, wallet]) => stuck.find(({ pass }) => pass.walletAddress === wallet)?.code);
    };
    await pollUntil(readCodes, (codes) => codes.every((code) => code === 'kms-denied'));
    kms().setFaults([]);
    for (const [network, wallet] of wallets) await acme().untilSettled(network, wallet);
  });
});

it.runIf(process.platform === 'linux')(
  'no gatekeeper key is in the memory, the environment, the bundle or the files of the service',
  async () => {
    const secrets = [
      ...keysInKms(),
      ...GATEKEEPER_KEYS.map((key) => Buffer.from(key.slice(2), 'hex')),
      ...SOLANA_GATEKEEPER_KEYS.map((pair) => base58.decode(pair).subarray(0, 32)),
    ];
    const { aws } = kms().credentials;
    const needles = new Map([
      ...secrets.map((secret, index) => [`key ${index}`, formsOf(secret)] as const),
      ['the credential', [Buffer.from(aws.secretAccessKey)]] as const,
    ]);
    // The search can find something: the Worker cannot ask the KMS without its credential.
    const memory = searchProcess(facts().pids.workerd ?? 0, needles);
    expect([...memory.found]).toEqual(['the credential']);
    expect(memory.bytes).toBeGreaterThan(10_000_000);
    const files = searchFiles(String(facts().state), needles);
    expect([...files.found]).toEqual(['the credential']);
    expect(files.files).toBeGreaterThan(10);
    expect([...searchFiles(dirname(inject('builtWorker')), needles).found]).toEqual([]);
  },
);
