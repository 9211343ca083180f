import { privateKeyToAccount } from 'viem/accounts';
import type { EnabledEthereum } from '../../config/signers.ts';
import { type JsonRpc, jsonRpc } from '../json-rpc.ts';
import type { ChainPort } from '../port.ts';
import { account } from './account.ts';
import { broadcast } from './broadcast.ts';
import { identityOf } from './calls.ts';
import { fillNonceGaps } from './fill-nonce-gaps.ts';
import { prepare } from './prepare.ts';
import { read } from './read.ts';
import { replaceTransactions } from './replace-transactions.ts';
import { signer } from './sign.ts';
import { track } from './track.ts';

/** What the parts of the adapter work with. */
export interface Ethereum {
  readonly rpc: JsonRpc;
  readonly network: EnabledEthereum['network'];
  /** Address of the gatekeeper. */
  readonly account: string;
  /** Undefined: not a gatekeeper network. */
  readonly slot: (gatekeeperNetwork: string) => bigint | undefined;
}

/** The port of an Ethereum-type network, for one gatekeeper key. */
export function ethereum({ network, endpoints, gatekeeper }: EnabledEthereum, slot: Ethereum['slot']): ChainPort {
  const chain: Ethereum = { rpc: jsonRpc(endpoints, identityOf(network)), network, account: gatekeeper.address, slot };
  const key = privateKeyToAccount(gatekeeper.key());
  return {
    prepare: (steps) => prepare(chain, steps),
    read: (questions) => read(chain, questions),
    sign: signer(key, network),
    broadcast: (signed) => broadcast(chain, signed),
    track: (flights) => track(chain, flights),
    account: () => account(chain),
    replaceTransactions: (signed) => replaceTransactions(chain, key, signed),
    fillNonceGaps: (nonces) => fillNonceGaps(chain, key, nonces),
  };
}
