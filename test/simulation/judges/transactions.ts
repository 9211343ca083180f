import type { Receipt } from '../ethereum/block.ts';
import { OLD_VARIABLES_MS } from '../world/deployment.ts';
import { keyOf, type SentTransaction } from '../world/transactions.ts';
import type { World } from '../world/world.ts';
import type { Judged } from './passes.ts';

/** The transactions that nodes got: each was stored first, has its effect once, and was one that its signer might sign then. */

const GIVES_ACCESS = ['issue', 'set-expiry', 'unfreeze'];

export function faultsOfTransactions(world: World, judged: readonly Judged[]): string[] {
  const { sent, unknown } = world.transactions;
  if (sent.length + unknown.length === 0) return [];
  const receipts = receiptsIn(world);
  const outcomes = outcomesIn(world, receipts);
  return [
    ...judged.flatMap((each) => faultsOfRecord(world, each, receipts)),
    ...unknown.map((id) => `a node got the transaction ${id}, which no signer had stored`),
    ...faultsOfRepetitions(sent, outcomes),
    ...faultsOfLeakedKeys(world),
    ...faultsOfReplacedCode(world),
    ...faultsOfCeilings(world, outcomes),
  ];
}

/** A transaction in a block of the chain as it is at the end. */
interface Outcome {
  readonly succeeded: boolean;
  /** Nano-coins. */
  readonly cost: number;
}

type Outcomes = ReadonlyMap<SentTransaction, Outcome>;

const WEI_PER_NANO_COIN = 1_000_000_000n;

type Receipts = ReadonlyMap<string, Receipt>;

function receiptsIn({ chains: { sepolia } }: World): Receipts {
  const receipts = new Map<string, Receipt>();
  for (let number = sepolia.head.number; number >= 0; number -= 1)
    for (const [hash, receipt] of sepolia.block(number)?.receipts ?? []) receipts.set(hash, receipt);
  return receipts;
}

function outcomesIn({ chains: { devnet }, transactions: { sent } }: World, receipts: Receipts): Outcomes {
  const outcomes = new Map<SentTransaction, Outcome>();
  for (const each of sent) {
    const receipt = receipts.get(each.id);
    const lamports = devnet.costOf(each.id);
    if (receipt !== undefined)
      outcomes.set(each, {
        succeeded: receipt.succeeded,
        cost: Number((receipt.gasUsed * receipt.price) / WEI_PER_NANO_COIN),
      });
    else if (lamports !== undefined)
      outcomes.set(each, { succeeded: devnet.hasSucceeded(each.id), cost: Number(lamports) });
  }
  return outcomes;
}

/** docs/reliability.md, promise 3: the record does not run ahead of the chain. A replaced transaction is in no block, so the record has the other one. */
function faultsOfRecord({ chains }: World, { pass, wallet, network }: Judged, receipts: Receipts): string[] {
  const isOnChain = (id: string) => receipts.get(id)?.succeeded ?? chains.devnet.hasSucceeded(id);
  return pass.events.flatMap(({ transaction: { identifier, status } = { identifier: '', status: '' } }) =>
    status === 'confirmed' && !isOnChain(identifier)
      ? [`the pass of ${wallet} on ${network} shows the transaction ${identifier} as confirmed, and no block has it`]
      : [],
  );
}

/** docs/reliability.md, promise 2: nothing is done twice. */
function faultsOfRepetitions(sent: readonly SentTransaction[], outcomes: Outcomes): string[] {
  const byStep = Map.groupBy(
    sent.filter((each) => each.step !== undefined && outcomes.get(each)?.succeeded),
    ({ step }) => step?.id,
  );
  return [...byStep].flatMap(([step, done]) => (done.length > 1 ? [`step ${step} is done ${done.length} times`] : []));
}

/** A run of a signer that began before may still store what it has signed. */
const RUN_MS = 5_000;

/**
 * docs/operators/keys-and-databases.md, A leaked key: a signer signs nothing with the key once it has confirmed the list, and the platform leaves it the
 * old one for five minutes at most.
 */
function faultsOfLeakedKeys({ deployment: { emergencies }, requests: { asked }, transactions }: World): string[] {
  if (emergencies.length === 0) return [];
  const confirmations = asked.flatMap(({ path, status, answer, answeredAt = 0 }) =>
    path === '/admin/signers' && status === 200 ? [{ at: answeredAt, signers: signersIn(answer) }] : [],
  );
  return emergencies.flatMap(({ at, number, addresses }, index) => {
    const until = emergencies[index + 1]?.at ?? Number.POSITIVE_INFINITY;
    return transactions.sent.flatMap(({ signer, signedAt, id }) => {
      const key = keyOf(signer);
      if (!addresses.includes(key) || signedAt >= until) return [];
      const confirmed = confirmations.find(({ signers }) =>
        signers.some(({ address, emergency }) => address === key && emergency?.number === number && emergency.stopped),
      );
      const from = Math.min(at + OLD_VARIABLES_MS + RUN_MS, confirmed?.at ?? Number.POSITIVE_INFINITY);
      return signedAt > from ? [`${signer} signed ${id} with a leaked key`] : [];
    });
  });
}

interface ListedSigner {
  readonly address: string;
  readonly emergency: { readonly number: number; readonly stopped: boolean } | null;
}

const signersIn = (answer: unknown) => (answer as { readonly signers: readonly ListedSigner[] }).signers;

/**
 * docs/operators/runbook/a-contract-has-changed-hands-or-code.md: without accepted code, nothing is signed that gives access. A
 * transaction that was signed before is replaced if it is stuck.
 */
function faultsOfReplacedCode({ transactions: { sent } }: World): string[] {
  return sent.flatMap(({ step, suspectHash, settings, signer }, index) => {
    if (suspectHash === undefined || settings === undefined || settings.codeHash === suspectHash) return [];
    const isReplacement = sent.slice(0, index).some((earlier) => earlier.step?.id === step?.id);
    if (isReplacement || !GIVES_ACCESS.includes(step?.kind ?? '')) return [];
    return [`${signer} signed the step ${step?.id}, which gives access, for a contract with unknown code`];
  });
}

/** Revocations, and fillers before them, may spend a tenth more. */
const WITH_RESERVE = 1.1;
const NANO_COINS = 1e9;
const DAY_MS = 86_400_000;

/** docs/operators/configuration.md, `dailyCeiling` and `dailyLaneCeiling`: the spending of a key in a day (UTC) has a bound, in all and for a gatekeeper network. */
function faultsOfCeilings({ deployment, incidents }: World, outcomes: Outcomes): string[] {
  // A signer counts what it has stored.
  if (!deployment.settingsChanged || incidents.hasLostStore) return [];
  const spent = new Map<string, number>();
  const faults: string[] = [];
  for (const [each, { cost }] of [...outcomes].toSorted(([a], [b]) => a.signedAt - b.signedAt)) {
    const day = Math.floor(each.signedAt / DAY_MS);
    const { dailyCeiling, dailyLaneCeiling } = each.settings ?? {};
    const ceilings = [['', dailyCeiling], ...(each.step ? [[each.step.lane, dailyLaneCeiling] as const] : [])] as const;
    for (const [lane, ceiling = Number.POSITIVE_INFINITY] of ceilings) {
      const key = `${each.signer} ${lane} ${day}`;
      const total = (spent.get(key) ?? 0) + cost;
      spent.set(key, total);
      if (total > ceiling * NANO_COINS * WITH_RESERVE)
        faults.push(`${each.signer} spends more than ${ceiling} coins in a day${lane && ' for a gatekeeper network'}`);
    }
  }
  return faults.slice(0, 1);
}
