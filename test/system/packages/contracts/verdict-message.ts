import { type Address, type Hex, hexToBytes, type TypedDataDomain, toHex } from 'viem';
import { privateKeyToAccount } from 'viem/accounts';
import { publishedContract } from './published-contract.ts';

/** Signed verdicts about passes, as `PassVerdicts.sol` reads them. */

export const VERDICTS = publishedContract('PassVerdicts');

/** The name and the version of the domain, and the fields of the message (EIP-712). */
export const VERDICT_TYPE = {
  domain: { name: 'Gatepass verdict', version: '1' },
  primaryType: 'PassVerdict',
  types: {
    PassVerdict: [
      { name: 'passChainId', type: 'uint256' },
      { name: 'gateway', type: 'address' },
      { name: 'gatekeeperNetwork', type: 'uint256' },
      { name: 'wallet', type: 'address' },
      { name: 'issuedAt', type: 'uint64' },
      { name: 'notAfter', type: 'uint64' },
    ],
  },
} as const;

export interface Verdict {
  readonly passChainId: bigint;
  readonly gateway: Address;
  /** The slot of the gatekeeper network. */
  readonly gatekeeperNetwork: bigint;
  readonly wallet: Address;
  /** Unix seconds. */
  readonly issuedAt: bigint;
  readonly notAfter: bigint;
}

export interface SignedVerdict {
  readonly verdict: Verdict;
  readonly signature: Hex;
}

/**
 * Signs a verdict with the key.
 * @param domain The asking contract and its chain, and what else differs from the domain of a verdict.
 */
export async function signVerdict(key: Hex, verdict: Verdict, domain: TypedDataDomain): Promise<SignedVerdict> {
  const typed = { ...VERDICT_TYPE, domain: { ...VERDICT_TYPE.domain, ...domain }, message: { ...verdict } };
  return { verdict, signature: await privateKeyToAccount(key).signTypedData(typed) };
}

/** The order of the curve. */
const ORDER = 0xffff_ffff_ffff_ffff_ffff_ffff_ffff_fffe_baae_dce6_af48_a03b_bfd2_5e8c_d036_4141n;

/** Returns the parts of a signature: r, s and v. */
export const partsOf = (signature: Hex) => ({
  r: `0x${signature.slice(2, 66)}` as Hex,
  s: `0x${signature.slice(66, 130)}` as Hex,
  v: Number(`0x${signature.slice(130)}`),
});

export const joinParts = ({ r, s, v }: ReturnType<typeof partsOf>): Hex =>
  `${r}${s.slice(2)}${toHex(v, { size: 1 }).slice(2)}`;

/** Returns the other signature that the same key has for the same message. */
export function twinOf(signature: Hex): Hex {
  const { r, s, v } = partsOf(signature);
  return joinParts({ r, s: toHex(ORDER - BigInt(s), { size: 32 }), v: v === 27 ? 28 : 27 });
}

/** Returns the verdict once for every bit of its fields and of its signature, with that bit changed. */
export function flipEachBit({ verdict, signature }: SignedVerdict): SignedVerdict[] {
  const ofFields = VERDICT_TYPE.types.PassVerdict.flatMap(({ name, type }) => {
    const bits = type === 'address' ? 160 : Number(type.slice('uint'.length));
    return Array.from({ length: bits }, (_, bit) => {
      const value = BigInt(verdict[name]) ^ (1n << BigInt(bit));
      const changed = type === 'address' ? toHex(value, { size: 20 }) : value;
      return { verdict: { ...verdict, [name]: changed }, signature };
    });
  });
  const bytes = hexToBytes(signature);
  const ofSignature = Array.from({ length: bytes.length * 8 }, (_, bit) => {
    const changed = Uint8Array.from(bytes);
    changed[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
    return { verdict, signature: toHex(changed) };
  });
  return [...ofFields, ...ofSignature];
}
