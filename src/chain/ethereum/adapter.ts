import type { Hex } from 'viem';
import { signTransaction } from 'viem/accounts';
import type { EnabledEthereum } from '../../config/signers.ts';
import { openEndpoints } from '../json-rpc.ts';
import { type ChainPort, SigningRefused } from '../port.ts';
import { withSecondOpinion } from '../second-opinion.ts';
import type { Ethereum } from './context.ts';
import { readAccount } from './network-conditions.ts';
import { readFinalNonce, signGapFillers } from './nonces.ts';
import { read, readFinal } from './owned-tokens.ts';
import { prepare } from './prepare.ts';
import { identityOf } from './rpc.ts';
import { track } from './track.ts';
import { broadcast, replaceTransactions } from './transaction.ts';

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
  const { send, alone } = openEndpoints(endpoints, identityOf(network));
  const chain = { network, gatekeeper: accountOf(gatekeeper), slot };
  const witnesses = alone.map(({ send: rpc, ...health }) => ({
    ...portOver({ ...chain, rpc }),
    readFinal: (questions: Parameters<ChainPort['read']>[0]) => readFinal({ ...chain, rpc }, questions),
    ...health,
  }));
  return withSecondOpinion(portOver({ ...chain, rpc: send }), witnesses);
}

function portOver(chain: Ethereum): ChainPort {
  return {
    prepare: (requests) => prepare(chain, requests),
    read: (questions) => read(chain, questions),
    broadcast: (transactions) => broadcast(chain, transactions),
    track: (transactions) => track(chain, transactions),
    account: () => readAccount(chain),
    finalNonce: () => readFinalNonce(chain),
    replaceTransactions: (transactions) => replaceTransactions(chain, transactions),
    signGapFillers: (nonces) => signGapFillers(chain, nonces),
  };
}
