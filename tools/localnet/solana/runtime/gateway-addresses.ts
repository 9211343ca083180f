import { type Address, address, getAddressEncoder } from '@solana/kit';
import { PublicKey } from '@solana/web3.js';

export const GATEWAY_PROGRAM: Address = address('gatem74V238djXdzWnJf94Wo1DcnuGkfijbf3AuBhfs');
/** The program id, for callers without a file of the program, or with another one. */
export const FETCH_PROGRAM_HINT = `\`solana program dump --url mainnet-beta ${GATEWAY_PROGRAM} gateway.so\` fetches the program`;

const PROGRAM = new PublicKey(GATEWAY_PROGRAM);

/** Returns the address of the account that makes an authority a gatekeeper of a network. It exists and is empty. */
export function gatekeeperAccountOf(authority: Address, network: Address): Address {
  return deriveAddress([bytes(authority), bytes(network), text('gatekeeper')]);
}

/** Returns the address of a wallet's gateway token. @param seed 8 bytes that distinguish its tokens in one network. */
export function gatewayTokenAccountOf(wallet: Address, seed: Uint8Array, network: Address): Address {
  return deriveAddress([bytes(wallet), text('gateway'), seed, bytes(network)]);
}

/** Returns the address of the account that lets owners of a network expire their own tokens. */
export function expireFeatureAccountOf(network: Address): Address {
  return deriveAddress([bytes(network), text('expire')]);
}

/** Uses the derivation of web3.js and not that of @solana/kit, because a runtime is synchronous. */
function deriveAddress(seeds: Uint8Array[]): Address {
  return address(PublicKey.findProgramAddressSync(seeds, PROGRAM)[0].toBase58());
}

function bytes(it: Address): Uint8Array {
  return new Uint8Array(getAddressEncoder().encode(it));
}

function text(it: string): Uint8Array {
  return new TextEncoder().encode(it);
}
