import { type Address, address, getAddressEncoder } from '@solana/kit';
import { PublicKey } from '@solana/web3.js';

export const GATEWAY_PROGRAM: Address = address('gatem74V238djXdzWnJf94Wo1DcnuGkfijbf3AuBhfs');
/** For who has no file with the program, or another one. */
export const FETCH_PROGRAM_HINT = `\`solana program dump --url mainnet-beta ${GATEWAY_PROGRAM} gateway.so\` fetches the program`;

const PROGRAM = new PublicKey(GATEWAY_PROGRAM);

/** The account that makes an authority a gatekeeper of a network: it is there, and empty. */
export function gatekeeperAccountOf(authority: Address, network: Address): Address {
  return deriveAddress([bytes(authority), bytes(network), text('gatekeeper')]);
}

/** The account of the gateway token of a wallet. @param seed 8 bytes that tell its tokens in one network apart. */
export function gatewayTokenAccountOf(wallet: Address, seed: Uint8Array, network: Address): Address {
  return deriveAddress([bytes(wallet), text('gateway'), seed, bytes(network)]);
}

/** The derivation of web3.js rather than that of @solana/kit: a runtime is synchronous. */
function deriveAddress(seeds: Uint8Array[]): Address {
  return address(PublicKey.findProgramAddressSync(seeds, PROGRAM)[0].toBase58());
}

function bytes(it: Address): Uint8Array {
  return new Uint8Array(getAddressEncoder().encode(it));
}

function text(it: string): Uint8Array {
  return new TextEncoder().encode(it);
}
