import type { Address } from '@solana/kit';
import { RENT_HIGHEST, RENT_LOWEST } from '../../src/chain/solana/network-conditions.ts';
import type { SolanaRpc } from '../../src/chain/solana/rpc.ts';
import { TRANSACTION_VERSION_MAX } from '../../src/chain/solana/wire-transaction.ts';
import { formatLamports } from '../amounts.ts';
import { fail, notice, ok, type Verdict } from './check.ts';

/** Compares the data of a Solana cluster with its nodes. */

/** The newest transactions of the program whose versions are looked at. */
const LOOKED_AT = 10;
/** Two sizes whose difference shows the rent of a byte. */
const [SMALL_BYTES, LARGE_BYTES] = [0n, 1_000n];

/** Returns the checks of a cluster by the name of the fact. */
export const solanaFacts = (rpc: SolanaRpc, program: Address) => ({
  rent: () => checkRent(rpc),
  transactions: () => checkVersions(rpc, program),
});

async function checkRent(rpc: SolanaRpc): Promise<Verdict> {
  const [small, large] = await Promise.all(
    [SMALL_BYTES, LARGE_BYTES].map((bytes) => rpc.getMinimumBalanceForRentExemption(bytes).send()),
  );
  const perByte = ((large ?? 0n) - (small ?? 0n)) / (LARGE_BYTES - SMALL_BYTES);
  const shown = `${perByte} lamports per byte, and ${formatLamports(small ?? 0n)} for an empty account`;
  if (perByte >= RENT_LOWEST && perByte <= RENT_HIGHEST) return ok(shown);
  return notice(`${shown}: no cluster has charged that -> compare the endpoints, and look for a new step of the rent`);
}

interface Versioned {
  readonly version?: 'legacy' | number;
}

async function checkVersions(rpc: SolanaRpc, program: Address): Promise<Verdict> {
  const found = await rpc.getSignaturesForAddress(program, { limit: LOOKED_AT, commitment: 'confirmed' }).send();
  const form = { commitment: 'confirmed', encoding: 'json', maxSupportedTransactionVersion: 255 };
  const answers = await Promise.all(
    found.map(({ signature }) => rpc.getTransaction(signature, form as never).send() as Promise<Versioned | null>),
  );
  const versions = answers.flatMap((each) => (typeof each?.version === 'number' ? each.version : []));
  const highest = Math.max(0, ...versions);
  if (highest <= TRANSACTION_VERSION_MAX)
    return ok(`version ${highest} at most in the program's ${found.length} newest transactions`);
  return fail(
    `a transaction of the program has version ${highest}, and the service reads ${TRANSACTION_VERSION_MAX}`,
    'deploy a release that reads it: until then, a change by others in it is not seen',
  );
}
