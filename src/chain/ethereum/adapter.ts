import { privateKeyToAccount } from 'viem/accounts';
import type { EnabledEthereum } from '../../config/signers.ts';
import { confirmFound, confirmReadings, type Witness } from '../absence.ts';
import { jsonRpc } from '../json-rpc.ts';
import { type ChainPort, SigningRefused } from '../port.ts';
import { broadcast } from './broadcast.ts';
import type { Ethereum } from './context.ts';
import { fillNonceGaps } from './fill-nonce-gaps.ts';
import { readFinalNonce } from './final-nonce.ts';
import { readAccount } from './network-conditions.ts';
import { prepare } from './prepare.ts';
import { read, readFinal } from './read.ts';
import { replaceTransactions } from './replace-transactions.ts';
import { identityOf } from './rpc.ts';
import { track } from './track.ts';

/** Returns the account of the key. That of a compromised key has an address, and refuses to sign. */
function accountOf({ address, key, compromised }: EnabledEthereum['gatekeeper']): Ethereum['gatekeeper'] {
  if (!compromised) return privateKeyToAccount(key());
  const signTransaction = () => Promise.reject(new SigningRefused('the key is compromised'));
  return { address: address as `0x${string}`, signTransaction };
}

/** The port of an Ethereum-type network, for one gatekeeper key. */
export function ethereum({ network, endpoints, gatekeeper }: EnabledEthereum, slot: Ethereum['slot']): ChainPort {
  const rpc = jsonRpc(endpoints, identityOf(network));
  const chain: Ethereum = { rpc, network, gatekeeper: accountOf(gatekeeper), slot };
  const witnesses = endpoints.map((endpoint): Witness => {
    const alone = { ...chain, rpc: jsonRpc([endpoint], identityOf(network)) };
    return (questions) => readFinal(alone, questions);
  });
  return {
    prepare: async (requests) => {
      const prepared = await prepare(chain, requests);
      return { ...prepared, results: await confirmFound(prepared.results, witnesses) };
    },
    read: async (questions) => confirmReadings(await read(chain, questions), witnesses),
    broadcast: (transactions) => broadcast(chain, transactions),
    track: (transactions) => track(chain, transactions),
    account: () => readAccount(chain),
    finalNonce: () => readFinalNonce(chain),
    replaceTransactions: (transactions) => replaceTransactions(chain, transactions),
    fillNonceGaps: (nonces) => fillNonceGaps(chain, nonces),
  };
}
