import type { Address } from '@solana/kit';
import type { EnabledSolana } from '../../config/signers.ts';
import { type JsonRpc, openEndpoints } from '../json-rpc.ts';
import { type ChainPort, pairAll } from '../port.ts';
import { type Adapter, openPort } from '../second-opinion.ts';
import { openSolanaKey } from '../signing/kms-key.ts';
import { readAccount, readLastHeight } from './network-conditions.ts';
import { read } from './owned-tokens.ts';
import { prepare } from './prepare.ts';
import { identityOf, type Solana, solanaRpc } from './rpc.ts';
import { track } from './track.ts';
import { broadcast } from './transaction.ts';

/** Returns the port of a Solana network for one gatekeeper key. */
export function solana(enabled: EnabledSolana): ChainPort {
  const { endpoints, network, gatekeeper } = enabled;
  // One key for all endpoints, because a KMS limits the calls of the key.
  const key = openSolanaKey(gatekeeper);
  return openPort(endpoints, identityOf(network), (send) => adapterOver(solanaContext(enabled, send, key)));
}

function adapterOver(chain: Solana): Adapter {
  return {
    prepare: (requests, unmined) => prepare(chain, requests, unmined),
    read: (questions) => read(chain, questions),
    readFinal: (questions) => read(chain, questions, 'finalized'),
    broadcast: (transactions) => broadcast(chain, transactions),
    track: (transactions) => track(chain, transactions),
    account: () => readAccount(chain),
    finalNonce: async () => undefined,
    lastHeightOf: (blockhash) => readLastHeight(chain, blockhash),
    // A transaction expires with its blockhash, after 150 blocks, and the step is signed again. There is no replacement at a higher price.
    replaceTransactions: async (transactions) => pairAll(transactions, undefined),
    signGapFillers: async () => [],
  };
}

export function solanaContext(
  enabled: EnabledSolana,
  send: JsonRpc = openEndpoints(enabled.endpoints, identityOf(enabled.network)).send,
  key: Solana['key'] = openSolanaKey(enabled.gatekeeper),
): Solana {
  const { network, gatekeeper } = enabled;
  return {
    send,
    isOnly: enabled.endpoints.length === 1,
    rpc: solanaRpc(send),
    network,
    program: network.program as Address,
    gatekeeper: gatekeeper.address as Address,
    key,
  };
}
