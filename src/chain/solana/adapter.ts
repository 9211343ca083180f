import { type Address, createKeyPairFromBytes } from '@solana/kit';
import type { EnabledSolana } from '../../config/signers.ts';
import { confirmFound, confirmReadings, type Witness } from '../absence.ts';
import { jsonRpc } from '../json-rpc.ts';
import { pairAll } from '../pairs.ts';
import type { ChainPort } from '../port.ts';
import { broadcast } from './broadcast.ts';
import type { Solana } from './context.ts';
import { readAccount } from './network-conditions.ts';
import { prepare } from './prepare.ts';
import { read } from './read.ts';
import { identityOf, solanaRpc } from './rpc.ts';
import { track } from './track.ts';

/** The port of a Solana network, for one gatekeeper key. */
export function solana(enabled: EnabledSolana): ChainPort {
  const chain = solanaContext(enabled);
  const witnesses = enabled.endpoints.map((endpoint): Witness => {
    const alone = solanaContext({ ...enabled, endpoints: [endpoint] });
    return (questions) => read(alone, questions, 'finalized');
  });
  return {
    prepare: async (requests, unmined) => {
      const prepared = await prepare(chain, requests, unmined);
      return { ...prepared, results: await confirmFound(prepared.results, witnesses) };
    },
    read: async (questions) => confirmReadings(await read(chain, questions), witnesses),
    broadcast: (transactions) => broadcast(chain, transactions),
    track: (transactions) => track(chain, transactions),
    account: () => readAccount(chain),
    finalNonce: async () => undefined,
    // A transaction lives for a minute and is then signed again. There is no replacement at a higher price.
    replaceTransactions: async (transactions) => pairAll(transactions, undefined),
    fillNonceGaps: async () => undefined,
  };
}

export function solanaContext({ network, endpoints, gatekeeper }: EnabledSolana): Solana {
  const send = jsonRpc(endpoints, identityOf(network));
  let keyPair: ReturnType<Solana['keyPair']> | undefined;
  return {
    send,
    rpc: solanaRpc(send),
    network,
    program: network.program as Address,
    gatekeeper: gatekeeper.address as Address,
    keyPair: () => {
      keyPair ??= createKeyPairFromBytes(gatekeeper.key());
      return keyPair;
    },
  };
}
