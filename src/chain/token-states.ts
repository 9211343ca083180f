import type { WantedState } from '../pass/vocabulary.ts';

/** The states of a gateway token. Both the contract and the program number them in this order, so it never changes. */
export const TOKEN_STATES = ['ACTIVE', 'FROZEN', 'REVOKED'] as const satisfies readonly WantedState[];
