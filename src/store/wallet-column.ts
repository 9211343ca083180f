/** The wallet of a pass in its index, which folds the case of letters so that a search finds the beginning of a wallet in any case. */
export const FOLDED_WALLET = 'wallet COLLATE NOCASE';

/** Returns the condition that finds a wallet through the index. The index decides by the folded wallet first, so it needs both. */
export const walletIs = (value: string, table = ''): string =>
  `${table}wallet = ${value} COLLATE NOCASE AND ${table}wallet = ${value}`;
