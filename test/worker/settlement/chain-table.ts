import type { Chain } from '../../../src/network/network.ts';
import type { OnChainState } from '../../../src/pass/vocabulary.ts';

/** The operations of a gatekeeper on a wallet's token, named like steps. */
export const OPERATIONS = ['issue', 'freeze', 'unfreeze', 'set-expiry', 'revoke'] as const;

export type Operation = (typeof OPERATIONS)[number];

/**
 * The states of a wallet's token in which the chain accepts an operation, by chain. An expired token is ACTIVE.
 * Proven by `test/worker/chain/{ethereum,solana}/rules.test.ts`, on the real contract and on the gateway program.
 */
export const CHAIN_TABLE: Readonly<Record<Chain, Readonly<Record<Operation, readonly OnChainState[]>>>> = {
  ethereum: {
    // Each mint makes one more token.
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
