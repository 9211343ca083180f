import type { Hex } from 'viem';
import { readRows, type TokenRow } from '../../../ops/takeover/token-rows.ts';
import { openReader, type ReaderOptions } from '../../../ops/tokens/open-reader.ts';
import { secret } from '../../../src/lib/secret.ts';
import type { Chain, Network } from '../../../src/network/network.ts';
import { findNetwork, NETWORKS } from '../../../src/network/networks.ts';

/** A token as a line of text, without the block that showed it. */
export const textOf = (row: Omit<TokenRow, 'block'>): string => {
  const { chain, network, walletAddress, state, expiryTimestamp, issuedBy, token } = row;
  return [chain, network, walletAddress, state, expiryTimestamp, issuedBy, token].join();
};

/** Returns the tokens of a scan's file as sorted texts. */
export async function textsIn(file: string): Promise<string[]> {
  const texts: string[] = [];
  for await (const row of readRows(file)) texts.push(textOf(row));
  return texts.toSorted();
}

/**
 * Reads the tokens of a gatekeeper network in this process, through these endpoints, with hardly any pause between tries. Returns
 * sorted texts.
 */
export async function readTexts(
  [chain, name]: readonly [Chain, string],
  gatekeeperNetwork: string,
  urls: readonly string[],
  { contract, ...options }: Partial<ReaderOptions> & { readonly contract?: Hex | undefined } = {},
): Promise<string[]> {
  const row = findNetwork(NETWORKS, chain, name) as Network;
  const network = contract !== undefined && row.chain === 'ethereum' ? { ...row, gateway: contract } : row;
  const nodes = { network, endpoints: urls.map(secret), gatekeepers: [] };
  const read = openReader(nodes, {
    gatekeeperNetwork,
    slots: {},
    pauseMs: 1,
    say: () => undefined,
    ...options,
  });
  const texts: string[] = [];
  for await (const { tokens } of read()) {
    for (const { wallet, state, expiry, issuer, token } of tokens) {
      const expiryTimestamp = String(expiry ?? '');
      texts.push(
        textOf({ chain, network: name, walletAddress: wallet, state, expiryTimestamp, issuedBy: issuer, token }),
      );
    }
  }
  return texts.toSorted();
}
