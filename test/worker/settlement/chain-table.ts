import type { Chain } from '../../../src/network/network.ts';
import type { OnChainState } from '../../../src/pass/vocabulary.ts';

/** What a gatekeeper can do with a wallet's token, in the words of a step. */
export const OPERATIONS = ['issue', 'freeze', 'unfreeze', 'set-expiry', 'revoke'] as const;

export type Operation = (typeof OPERATIONS)[number];

/**
 * In which states of a wallet's token the chain takes an operation, by chain. A token whose expiry has passed is ACTIVE.
 * Proven by `test/worker/chain/{ethereum,solana}/rules.test.ts`, on the real contract and on the gateway program.
 */
export const CHAIN_TABLE: Readonly<Record<Chain, Readonly<Record<Operation, readonly OnChainState[]>>>> = {
  ethereum: {
    // Minting is not unique: each time it makes one more token.
    issue: ['NONE', 'ACTIVE', 'FROZEN', 'REVOKED'],
    freeze: ['ACTIVE'],
    unfreeze: ['FROZEN'],
    'set-expiry': ['ACTIVE'],
    revoke: ['ACTIVE', 'FROZEN', 'REVOKED'],
  },
  solana: {
    // At one address, the wallet's first.
    issue: ['NONE'],
    freeze: ['ACTIVE'],
    unfreeze: ['FROZEN'],
    'set-expiry': ['ACTIVE', 'FROZEN', 'REVOKED'],
    revoke: ['ACTIVE', 'FROZEN'],
  },
};
