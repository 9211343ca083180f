import type { Address } from '@solana/kit';
import type { EnabledSolana } from '../../config/signers.ts';
import { type JsonRpc, jsonRpc } from '../json-rpc.ts';
import type { ChainPort } from '../port.ts';
import { broadcast } from './broadcast.ts';
import { identityOf, type SolanaRpc, solanaRpc } from './calls.ts';
import { prepare } from './prepare.ts';
import { read } from './read.ts';
import { signer } from './sign.ts';
import { track } from './track.ts';

/** What the parts of the adapter work with. */
export interface Solana {
  readonly send: JsonRpc;
  /** Typed reads over it. */
  readonly rpc: SolanaRpc;
  readonly network: EnabledSolana['network'];
  readonly program: Address;
  /** Signs, and pays fees and rent. */
  readonly gatekeeper: Address;
}

/** The port of a Solana network, for one gatekeeper key. */
export function solana({ network, endpoints, gatekeeper }: EnabledSolana): ChainPort {
  const send = jsonRpc(endpoints, identityOf(network));
  const chain: Solana = {
    send,
    rpc: solanaRpc(send),
    network,
    program: network.program as Address,
    gatekeeper: gatekeeper.address as Address,
  };
  return {
    prepare: (steps, unmined) => prepare(chain, steps, unmined),
    read: (questions) => read(chain, questions),
    sign: signer(chain, gatekeeper.key),
    broadcast: (signed) => broadcast(chain, signed),
    track: (flights) => track(chain, flights),
    account: async () => {
      const { value: balance } = await chain.rpc.getBalance(chain.gatekeeper, { commitment: 'confirmed' }).send();
      return { balance };
    },
    // No block takes them at a higher price either: they live for a minute, and are signed anew then.
    replaceTransactions: async (signed) => signed.map(() => undefined),
    fillNonceGaps: async () => undefined,
  };
}
