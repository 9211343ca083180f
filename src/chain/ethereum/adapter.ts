import type { Hex } from 'viem';
import { signTransaction } from 'viem/accounts';
import type { EnabledEthereum } from '../../config/signers.ts';
import { type ChainPort, SigningRefused } from '../port.ts';
import { type Adapter, openPort } from '../second-opinion.ts';
import type { Ethereum } from './context.ts';
import { readAccount, readFinalNonce } from './network-conditions.ts';
import { read, readFinal } from './owned-tokens.ts';
import { prepare } from './prepare.ts';
import { identityOf } from './rpc.ts';
import { track } from './track.ts';
import { broadcast, replaceTransactions, signGapFillers } from './transaction.ts';

/** Returns the account of the key. The account of a compromised key has an address but refuses to sign. */
function accountOf({ address, key, compromised }: EnabledEthereum['gatekeeper']): Ethereum['gatekeeper'] {
  return {
    address: address as Hex,
    async signTransaction(transaction) {
      if (compromised) throw new SigningRefused('the key is compromised');
      return signTransaction({ privateKey: key(), transaction });
    },
  };
}

/** Returns the port of an Ethereum-type network for one gatekeeper key. */
export function ethereum({ network, endpoints, gatekeeper }: EnabledEthereum, slot: Ethereum['slot']): ChainPort {
  const account = accountOf(gatekeeper);
  return openPort(endpoints, identityOf(network), (rpc) => adapterOver({ rpc, network, gatekeeper: account, slot }));
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
    replaceTransactions: (transactions) => replaceTransactions(chain, transactions),
    signGapFillers: (nonces) => signGapFillers(chain, nonces),
  };
}
