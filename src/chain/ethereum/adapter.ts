import type { EnabledEthereum } from '../../config/signers.ts';
import type { Hex } from '../../lib/bytes.ts';
import type { ChainPort } from '../port.ts';
import { type Adapter, openPort } from '../second-opinion.ts';
import { openEthereumKey } from '../signing/kms-key.ts';
import { readAccount, readBlockMs, readFinalNonce } from './network-conditions.ts';
import { read, readFinal } from './owned-tokens.ts';
import { prepare } from './prepare.ts';
import { type Ethereum, identityOf } from './rpc.ts';
import { track } from './track.ts';
import { broadcast, replaceTransactions, signGapFillers } from './transaction.ts';

/** Returns the port of an Ethereum-type network for one gatekeeper key. By default, nothing is known about the code of a contract. */
export function ethereum(
  { network, endpoints, gatekeeper }: EnabledEthereum,
  slot: Ethereum['slot'],
  derivesTokenIds: Ethereum['derivesTokenIds'] = () => false,
): ChainPort {
  // One key for all endpoints, because a KMS limits the calls of the key.
  const key = { ...openEthereumKey(gatekeeper), address: gatekeeper.address as Hex };
  return openPort(endpoints, identityOf(network), (rpc) =>
    adapterOver({ rpc, network, gatekeeper: key, slot, derivesTokenIds }),
  );
}

function adapterOver(chain: Ethereum): Adapter {
  return {
    prepare: (requests) => prepare(chain, requests),
    read: (questions) => read(chain, questions),
    readFinal: (questions) => readFinal(chain, questions),
    broadcast: (transactions) => broadcast(chain, transactions),
    track: (transactions) => track(chain, transactions),
    account: () => readAccount(chain),
    finalNonce: () => readFinalNonce(chain),
    lastHeightOf: async () => undefined,
    readBlockMs: () => readBlockMs(chain),
    replaceTransactions: (transactions) => replaceTransactions(chain, transactions),
    signGapFillers: (nonces, earlier) => signGapFillers(chain, nonces, earlier),
  };
}
