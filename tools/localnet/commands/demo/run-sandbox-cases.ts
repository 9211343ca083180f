import { CHAINS } from '../../../../src/network/networks.ts';
import { SANDBOX_CASES, type SandboxCase, sandboxWallet } from '../../../../src/network/sandbox.ts';
import type { Gatepass } from '../../gatepass.ts';
import { LocalnetPartner } from '../../partner/localnet-partner.ts';
import { type PassRecord, Refused } from '../../partner/partner-client.ts';

/** The last sight of a deterministic wallet: the code of a refusal, or its pass. */
type Expected = { readonly code: string } | ExpectedPass;
interface ExpectedPass {
  readonly state: string;
  /** An event of the pass. */
  readonly event: string;
  /** Number of different transactions. */
  readonly transactions?: number;
  /** Whether the pass shows it only after the clock has advanced. */
  readonly needsClock?: true;
}

const EXPECTED: Readonly<Record<SandboxCase, Expected>> = {
  'takes-a-minute': { state: 'ACTIVE', event: 'TOKEN_ISSUED', needsClock: true },
  rejected: { state: 'REJECTED', event: 'TOKEN_ISSUED_FAILED' },
  reorged: { state: 'ACTIVE', event: 'TOKEN_ISSUED_REORGED', transactions: 1 },
  'reorged-and-dropped': { state: 'ACTIVE', event: 'TOKEN_ISSUED_REORGED', transactions: 2 },
  'never-funded': { state: 'REQUESTED', event: 'TOKEN_ISSUED_INITIATED', transactions: 0 },
  'node-away': { state: 'REQUESTED', event: 'TOKEN_ISSUED_INITIATED', transactions: 0 },
  expires: { state: 'ACTIVE', event: 'TOKEN_EXPIRED', needsClock: true },
  announced: { state: 'ACTIVE', event: 'TOKEN_EXPIRING', needsClock: true },
  revoked: { state: 'REVOKED', event: 'TOKEN_REVOKED', needsClock: true },
  frozen: { state: 'FROZEN', event: 'TOKEN_FROZEN', needsClock: true },
  adopted: { state: 'ACTIVE', event: 'TOKEN_ISSUED', transactions: 0 },
  'quota-exceeded': { code: 'quota_reached' },
  'rate-limited': { code: 'rate_limited' },
};

/** One network per chain. */
const NETWORKS = { ethereum: 'sepolia', solana: 'devnet' } as const;
/** Longer than each delay in the sandbox. */
const ADVANCE_SECONDS = 65;
const SHOWS_WITHIN_MS = 90_000;
const POLL_INTERVAL_MS = 200;

export const CASE_HEADS = ['network', 'case', 'state', 'event', 'transactions'];

interface CaseOutcome {
  readonly name: SandboxCase;
  readonly network: string;
  readonly isAsExpected: boolean;
  /** One cell for each of `CASE_HEADS`. */
  readonly row: readonly string[];
}

/** Issues every deterministic wallet in both forms, advances the clock once, and returns what each one shows. */
export async function runSandboxCases(facts: Gatepass['facts']): Promise<CaseOutcome[]> {
  const client = new LocalnetPartner(facts, 'sandbox');
  const started = await Promise.all(
    CHAINS.flatMap((chain) =>
      SANDBOX_CASES.map(async (name) => {
        const [network, wallet] = [NETWORKS[chain], sandboxWallet(name, chain)];
        return { name, network, wallet, code: await issue(client, network, wallet) };
      }),
    ),
  );
  type Started = (typeof started)[number];
  const expectedOf = ({ name }: Started) => EXPECTED[name];
  const watch = async (one: Started, isEnough: (pass: PassRecord, expected: ExpectedPass) => boolean) => {
    const expected = expectedOf(one);
    if ('code' in expected || one.code !== undefined) return undefined;
    for (const deadline = Date.now() + SHOWS_WITHIN_MS; ; ) {
      const pass = await client.fetch(one.network, one.wallet);
      if (isEnough(pass, expected) || Date.now() > deadline) return pass;
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
    }
  };
  // The clock must not advance before a pass has its transaction, from which the simulated chain counts.
  await Promise.all(
    started.map((one) => watch(one, (pass, expected) => (expected.needsClock ? hasSent(pass) : shows(pass, expected)))),
  );
  await client.call('POST', '/sandbox/clock', { advanceSeconds: ADVANCE_SECONDS });
  return Promise.all(started.map(async (one) => outcomeOf(one, expectedOf(one), await watch(one, shows))));
}

/** Returns the code of the refusal; undefined if the service accepts the request. */
async function issue(client: LocalnetPartner, network: string, wallet: string): Promise<string | undefined> {
  try {
    await client.issue(network, wallet);
    return undefined;
  } catch (fault) {
    if (fault instanceof Refused) return (fault.problem as { code?: string }).code ?? String(fault.status);
    throw fault;
  }
}

const transactionsOf = ({ events }: PassRecord) =>
  new Set(events.flatMap(({ transaction }) => transaction?.identifier ?? [])).size;
const hasSent = (pass: PassRecord) => transactionsOf(pass) > 0;

function shows(pass: PassRecord, { state, event, transactions }: ExpectedPass): boolean {
  const hasEvent = pass.events.some(({ eventType }) => eventType === event);
  return pass.state === state && hasEvent && (transactions ?? transactionsOf(pass)) === transactionsOf(pass);
}

function outcomeOf(
  { name, network, code }: { readonly name: SandboxCase; readonly network: string; readonly code: string | undefined },
  expected: Expected,
  pass: PassRecord | undefined,
): CaseOutcome {
  if (pass === undefined || 'code' in expected)
    return {
      name,
      network,
      isAsExpected: 'code' in expected && code === expected.code,
      row: [network, name, code ?? 'accepted', '–', '–'],
    };
  const last = pass.events.findLast(({ eventType }) => eventType === expected.event) ?? pass.events.at(-1);
  const row = [network, name, pass.state, last?.eventType ?? 'none', String(transactionsOf(pass))];
  return { name, network, isAsExpected: shows(pass, expected), row };
}
