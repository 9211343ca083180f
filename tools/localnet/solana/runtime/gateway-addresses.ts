import { type Address, address, getAddressEncoder } from '@solana/kit';
import { PublicKey } from '@solana/web3.js';

export const GATEWAY_PROGRAM: Address = address('gatem74V238djXdzWnJf94Wo1DcnuGkfijbf3AuBhfs');
/** The program id, for callers without a file of the program, or with another one. */
export const FETCH_PROGRAM_HINT = `\`solana program dump --url mainnet-beta ${GATEWAY_PROGRAM} gateway.so\` fetches the program`;

const PROGRAM = new PublicKey(GATEWAY_PROGRAM);

/** Returns the address of the account that makes an authority a gatekeeper of a network. It exists and is empty. */
export function gatekeeperAccountOf(authority: Address, network: Address): Address {
  return deriveAddress([authority, network, GATEKEEPER]);
}

/** Returns the address of a wallet's gateway token. @param seed 8 bytes that distinguish its tokens in one network. */
export function gatewayTokenAccountOf(wallet: Address, seed: Uint8Array, network: Address): Address {
  return deriveAddress([wallet, GATEWAY, seed, network]);
}

/** Returns the address of the account that lets owners of a network expire their own tokens. */
export function expireFeatureAccountOf(network: Address): Address {
  return deriveAddress([network, EXPIRE]);
}

const [GATEKEEPER, GATEWAY, EXPIRE] = ['gatekeeper', 'gateway', 'expire'].map((text) =>
  new TextEncoder().encode(text),
) as [Uint8Array, Uint8Array, Uint8Array];

/** Derived addresses by their seeds: a derivation takes longer than the rest of an instruction, and the same ones recur. */
const derived = new Map<string, Address>();
const DERIVED_MAX_COUNT = 10_000;

/** Uses the derivation of web3.js and not that of @solana/kit, because a runtime is synchronous. */
function deriveAddress(seeds: readonly (Address | Uint8Array)[]): Address {
  const key = seeds.join(' ');
  const known = derived.get(key);
  if (known !== undefined) return known;
  const bytes = seeds.map((seed) =>
    typeof seed === 'string' ? new Uint8Array(getAddressEncoder().encode(seed)) : seed,
  );
  const found = address(PublicKey.findProgramAddressSync(bytes, PROGRAM)[0].toBase58());
  if (derived.size >= DERIVED_MAX_COUNT) derived.clear();
  derived.set(key, found);
  return found;
}
