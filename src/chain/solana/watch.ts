import type { Address } from '@solana/kit';
import type { Secret } from '../../lib/secret.ts';
import type { SolanaNetwork } from '../../network/network.ts';
import { resolveInTurn, scanInTurn } from '../ask-in-turn.ts';
import { openEndpoints } from '../json-rpc.ts';
import type { WatchPort } from '../watch-port.ts';
import { LOOKUPS_MAX, resolveWith } from './resolve.ts';
import { identityOf } from './rpc.ts';
import { scanWith } from './scan.ts';

/** Returns the watch port of a Solana network. */
export function watchSolana(network: SolanaNetwork, urls: readonly Secret<string>[]): WatchPort {
  const { alone } = openEndpoints(urls, identityOf(network));
  const program = network.program as Address;
  return {
    scan: (span, _, turn) => scanInTurn(alone, turn, ({ send }) => scanWith(send, program, span)),
    nameNetworks: async (tokens) => tokens.map(() => undefined),
    resolve(changes, turn) {
      const lookups = { left: LOOKUPS_MAX };
      return resolveInTurn(alone, turn, changes, ({ send }, open) => resolveWith(send, program, open, lookups));
    },
    // The program has no feature that voids tokens.
    readRoles: async (gatekeepers) => gatekeepers.map(() => 'held'),
  };
}
