import type { Address } from '@solana/kit';
import type { Secret } from '../../lib/secret.ts';
import type { SolanaNetwork } from '../../network/network.ts';
import { askInTurn } from '../ask-in-turn.ts';
import { openEndpoints } from '../json-rpc.ts';
import type { WatchPort } from '../watch-port.ts';
import { resolveWith } from './resolve.ts';
import { identityOf } from './rpc.ts';
import { scanWith } from './scan.ts';

/** Returns the watch port of a Solana network. */
export function watchSolana(network: SolanaNetwork, urls: readonly Secret<string>[]): WatchPort {
  const { alone } = openEndpoints(urls, identityOf(network));
  const program = network.program as Address;
  return {
    scan: (span, _, turn) =>
      askInTurn(
        alone,
        turn,
        ({ send }) => scanWith(send, program, span),
        ({ type }) => type === 'gone',
      ),
    async resolve(changes) {
      const transactions = changes.filter((change) => change.type === 'transaction');
      if (transactions.length === 0) return [];
      const resolution = await askInTurn(
        alone,
        0,
        ({ send }) => resolveWith(send, program, transactions),
        ({ isComplete }) => !isComplete,
      );
      return resolution.changes;
    },
    // The program has no such feature.
    hasVoidTokens: async () => false,
  };
}
