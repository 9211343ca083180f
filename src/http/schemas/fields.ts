import * as v from 'valibot';
import { CHAINS, NETWORKS } from '../../network/networks.ts';
import { MAX_TIMESTAMP } from '../../pass/vocabulary.ts';
import { annotate, type Keywords } from './annotations.ts';

/** Fields of answers, as the document describes them. */

export const text = (description: string, example: string, keywords?: Keywords) =>
  v.pipe(v.string(), annotate(description, example, keywords));

/** For people: what it says may change, that it says something does not. */
export const prose = (description: string, example: string) => text(description, example, { minLength: 1 });

/** A word of a list that grows: clients must tolerate one that they do not know, so the list does not close the type. */
export const word = (words: readonly string[], description: string, example = words[0]) =>
  v.pipe(v.string(), annotate(description, example, { 'x-extensible-enum': words }));

export const count = (description: string, example: number) =>
  v.pipe(v.number(), v.integer(), v.minValue(0), annotate(description, example));

/** Seconds since 1970. */
export const unixSeconds = (description: string, example = 1_795_172_625) =>
  v.pipe(
    v.number(),
    v.integer(),
    v.minValue(0),
    v.maxValue(MAX_TIMESTAMP),
    annotate(`${description} Unix seconds.`, example),
  );

export const EXAMPLE = {
  id: '01a1f8a0-6cfb-7613-a30a-0ccef041f58c',
  gatekeeperNetwork: 'tgnuXXNMDLK8dy7Xm1TdeGyc95MDym4bvAQCwcW21Bf',
  ethereumWallet: '0x52908400098527886E0F7030069857D2E4169EE7',
  solanaWallet: '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV',
  /** Beginning of 2040: who tries an example may not come too late, nor count in 32 bits. */
  expiry: 2_208_988_800,
  /** Of a list that the operator goes through. */
  position: '1795172625:01a1f8a0-6cfb-7613-a30a-0ccef041f58c',
  /** Id of a message. */
  letter: '8f14e45fceea167a5a36dedd4bea2543',
} as const;

const BASE58_KEY = '[1-9A-HJ-NP-Za-km-z]{32,44}';
export const SOLANA_KEY = `^${BASE58_KEY}$`;
/** What `positionIn` reads. */
export const POSITION = '^[0-9]{1,12}:[A-Za-z0-9_-]{1,100}$';
export const WALLET = `^(0x[0-9a-fA-F]{40}|${BASE58_KEY})$`;

export const passId = text('Identifier of the pass: a UUIDv7, so ids sort by the time of creation.', EXAMPLE.id, {
  format: 'uuid',
});

const networkOf = (description: string) => text(description, EXAMPLE.gatekeeperNetwork, { minLength: 1 });
export const ownGatekeeperNetwork = networkOf(
  'The gatekeeper network that the pass belongs to: base58 of 32 bytes. Always that of the caller.',
);
export const gatekeeperNetwork = networkOf('A gatekeeper network: base58 of 32 bytes.');

export const walletAddress = text(
  'The wallet that has the pass, in its canonical form: an Ethereum address with its EIP-55 checksum; on Solana base58 of 32 bytes.',
  EXAMPLE.ethereumWallet,
  { pattern: WALLET, examples: [EXAMPLE.ethereumWallet, EXAMPLE.solanaWallet] },
);

const NAMES = NETWORKS.map(({ network }) => network);
export const chainName = word(CHAINS, 'Type of the chain.', 'ethereum');
export const networkName = word(NAMES, 'Network of the chain.', 'sepolia');

export const Chain = v.pipe(
  v.object({ type: chainName, network: networkName }),
  v.description('The chain and its network.'),
);
