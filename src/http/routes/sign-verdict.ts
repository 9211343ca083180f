import * as TypedData from 'ox/TypedData';
import { KmsFault } from '../../chain/port.ts';
import { openEthereumKey } from '../../chain/signing/kms-key.ts';
import type { SigningKey } from '../../chain/signing/signing-key.ts';
import { activeVerdictKey, type Gatekeeper } from '../../config/gatekeeper.ts';
import { bytesToHex, type Hex, hexToBytes } from '../../lib/bytes.ts';
import { MINUTE_MS, SECOND_MS, type UnixSeconds } from '../../lib/units.ts';
import { logFault } from '../../log/log.ts';
import { slotOf } from '../../network/slot.ts';
import { checksumAddress } from '../../network/wallet.ts';
import { isExpired } from '../../pass/verdict.ts';
import type { OnChainState } from '../../pass/vocabulary.ts';
import { limitSignature } from '../access/rate-limits.ts';
import type { PassTarget } from '../pass/pass-requests.ts';
import { type Refusal, refuse, refuseField, refuseUnavailable } from '../protocol/problem.ts';
import { isRefusal, type Reply, reply } from '../protocol/reply.ts';
import type { PublicContext } from '../route.ts';
import type { VerifyQuery } from '../schemas/requests.ts';

/** The signed form of a public check, for contracts on any chain. The module loads at the first request for a signature. */

/** The answer of a public check. */
export interface Verification {
  readonly valid: boolean;
  readonly state: OnChainState;
  /** Present if others have taken access away, and no final block shows it yet. */
  readonly pending?: true;
  readonly expiryTimestamp?: UnixSeconds | undefined;
  readonly contract: string;
  readonly asOf: UnixSeconds;
  /** Null: the watcher has never covered the network. */
  readonly coveredUntil: UnixSeconds | null;
}

/** A contract accepts a verdict for at most this long (`PassVerdicts.sol`), so a loss of the pass needs as long to reach every verdict. */
const LIFETIME_SECONDS = (10 * MINUTE_MS) / SECOND_MS;

/** EIP-712. The asking contract is in the domain, so no other contract and no other chain accepts the signature. */
export const VERDICT_TYPES = {
  PassVerdict: [
    { name: 'passChainId', type: 'uint256' },
    { name: 'gateway', type: 'address' },
    { name: 'gatekeeperNetwork', type: 'uint256' },
    { name: 'wallet', type: 'address' },
    { name: 'issuedAt', type: 'uint64' },
    { name: 'notAfter', type: 'uint64' },
  ],
} as const;

/** Why a check has no signature. Append-only. */
export const NOT_SIGNED = {
  not_on_chain: 'The wallet has no pass on chain.',
  frozen: 'The pass is frozen.',
  revoked: 'The pass is revoked.',
  expired: 'The pass has expired.',
  pending: 'Others have taken access away, and no final block shows it yet.',
  not_in_force: 'The pass is being frozen or revoked, or its token is void.',
  not_covered:
    'The service has not followed the chain within the last ten minutes, so it does not know whether the pass is still valid.',
} as const;

/**
 * Answers a check with the signature of a verdict, or says in `notSigned` why there is none.
 * @param read Reads the verification from the database.
 */
export async function replySigned(
  { chainId, verifyingContract }: VerifyQuery,
  { key, network }: PassTarget,
  { config, request, limits }: PublicContext,
  read: () => Promise<Verification | Refusal>,
): Promise<Reply | Refusal> {
  if (network.chain !== 'ethereum') return refuseField('/signed', 'is only for passes on Ethereum-type networks');
  if (chainId === undefined) return refuseField('/chainId', MISSING);
  if (verifyingContract === undefined) return refuseField('/verifyingContract', MISSING);
  const signer = activeVerdictKey(config.verdictKeys);
  const gatekeeperNetwork = slotOf(key.gatekeeperNetwork, config.slots);
  if (signer === undefined || gatekeeperNetwork === undefined) return refuse('verdicts_not_enabled');
  const limited = await limitSignature(request, limits);
  if (limited !== undefined) return limited;
  const verification = await read();
  if (isRefusal(verification)) return verification;
  const notAfter = endOf(verification);
  const code = refusalCodeOf(verification, notAfter);
  if (code !== undefined) return replyWith(verification, { notSigned: { code, detail: NOT_SIGNED[code] } });
  const pass = { passChainId: network.chainId, gatekeeperNetwork, wallet: key.wallet as string as Hex };
  const typed = typedOf(verification, pass, notAfter, { chainId, verifyingContract });
  try {
    return replyWith(verification, { verdict: { ...typed, signature: await sign(typed, signer) } });
  } catch (fault) {
    if (!(fault instanceof KmsFault)) throw fault;
    logFault('verify.not_signed', fault);
    return refuseUnavailable();
  }
}

const MISSING = 'is required with "signed"';

const replyWith = (verification: Verification, more: object): Reply =>
  reply(200, JSON.stringify({ ...verification, ...more }));

/**
 * Returns the last second in which a contract may accept the verdict. It counts from the time up to which the service knows the chain: a loss
 * that the service has not seen yet must not live longer than one that it has.
 */
function endOf({ asOf, coveredUntil, expiryTimestamp = Number.POSITIVE_INFINITY }: Verification): UnixSeconds {
  return Math.min(Math.min(asOf, coveredUntil ?? 0) + LIFETIME_SECONDS, expiryTimestamp) as UnixSeconds;
}

/** Returns the message with its domain and its types. */
function typedOf(
  { contract, asOf }: Verification,
  { gatekeeperNetwork, ...pass }: { passChainId: number; gatekeeperNetwork: bigint; wallet: Hex },
  notAfter: UnixSeconds,
  { chainId, verifyingContract }: { chainId: number; verifyingContract: string },
) {
  return {
    domain: {
      name: 'Gatepass verdict',
      version: '1',
      chainId,
      verifyingContract: checksumAddress(verifyingContract),
    },
    types: VERDICT_TYPES,
    primaryType: 'PassVerdict',
    message: {
      passChainId: pass.passChainId,
      gateway: checksumAddress(contract),
      // More than a number of JSON can hold.
      gatekeeperNetwork: String(gatekeeperNetwork),
      wallet: pass.wallet,
      issuedAt: asOf,
      notAfter,
    },
  } as const;
}

/** Returns why there is no signature, from the fields that the check shows to everybody. */
function refusalCodeOf(verification: Verification, notAfter: UnixSeconds): keyof typeof NOT_SIGNED | undefined {
  const { valid, state, pending, expiryTimestamp, asOf } = verification;
  if (valid) return notAfter < asOf ? 'not_covered' : undefined;
  if (state === 'NONE') return 'not_on_chain';
  if (state !== 'ACTIVE') return state === 'FROZEN' ? 'frozen' : 'revoked';
  if (pending) return 'pending';
  return isExpired({ expiry: expiryTimestamp }, asOf) ? 'expired' : 'not_in_force';
}

const opened = new WeakMap<Gatekeeper<Hex>, SigningKey>();

/** Returns r, s and v in 65 bytes. Throws KmsFault if a KMS does not sign. */
async function sign(typed: Parameters<typeof TypedData.encode>[0], signer: Gatekeeper<Hex>): Promise<Hex> {
  const key = opened.get(signer) ?? openEthereumKey(signer);
  opened.set(signer, key);
  const signature = await key.sign(hexToBytes(TypedData.encode(typed)));
  const [parity = 0] = signature.subarray(64);
  return bytesToHex(Uint8Array.of(...signature.subarray(0, 64), 27 + parity));
}
