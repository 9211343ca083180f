import type * as v from 'valibot';
import { expect, it } from 'vitest';
import type { Config } from '../../../src/config/config.ts';
import { IN_ITEM, type NamePointers, passTargetOf, WALLET_IN_BODY } from '../../../src/http/pass/pass-requests.ts';
import { validate } from '../../../src/http/protocol/validate.ts';
import { AuditQuery, WebhookPath } from '../../../src/http/schemas/managing.ts';
import { gatekeeperNetwork, SearchBody } from '../../../src/http/schemas/requests.ts';
import { NETWORKS } from '../../../src/network/networks.ts';
import { PARTNER_RULES } from '../../../src/operator/partner-requests.ts';
import type { Partner } from '../../../src/store/partners.ts';

/** An invisible character makes a right-looking text a wrong one. Every refusal names it and its place. */

const WALLET = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed';
const SOLANA = '7EcDhSYGxXyscszYEp35KHN8vvw3svAuLKTzXwCFLtV';
const ZERO_WIDTH = 'U+200B (zero width space)';
const ETHEREUM_RULE = 'must be 0x and 40 hex digits, not all of them 0. Mixed case needs a valid EIP-55 checksum';

const after = (text: string, place: number) => `${text.slice(0, place)}\u200b${text.slice(place)}`;

it.each`
  chain         | chainNetwork           | wallet                                    | field        | detail
  ${'ethereum'} | ${'sepolia'}           | ${after(WALLET, 42)}                      | ${'wallet'}  | ${`${ETHEREUM_RULE}. Character 43 is ${ZERO_WIDTH}`}
  ${'ethereum'} | ${'sepolia'}           | ${after(WALLET, 0)}                       | ${'wallet'}  | ${`${ETHEREUM_RULE}. Character 1 is ${ZERO_WIDTH}`}
  ${'ethereum'} | ${'sepolia'}           | ${after(WALLET, 1)}                       | ${'wallet'}  | ${`${ETHEREUM_RULE}. Character 2 is ${ZERO_WIDTH}`}
  ${'ethereum'} | ${'sepolia'}           | ${` ${WALLET}`}                           | ${'wallet'}  | ${`${ETHEREUM_RULE}. Character 1 is U+0020 (space)`}
  ${'ethereum'} | ${'sepolia'}           | ${`0X${WALLET.slice(2)}`}                 | ${'wallet'}  | ${`${ETHEREUM_RULE}. Character 2 is "X" (U+0058)`}
  ${'ethereum'} | ${'sepolia'}           | ${WALLET.slice(2)}                        | ${'wallet'}  | ${ETHEREUM_RULE}
  ${'ethereum'} | ${'sepolia'}           | ${WALLET.toLowerCase().replace('e', 'E')} | ${'wallet'}  | ${ETHEREUM_RULE}
  ${'solana'}   | ${'devnet'}            | ${after(SOLANA, 3)}                       | ${'wallet'}  | ${`must be base58 of 32 bytes. Character 4 is ${ZERO_WIDTH}`}
  ${'solana'}   | ${'devnet'}            | ${`${SOLANA}\ufeff`}                      | ${'wallet'}  | ${'must be base58 of 32 bytes. Character 44 is U+FEFF (byte order mark)'}
  ${'solana'}   | ${'devnet'}            | ${SOLANA.slice(1)}                        | ${'wallet'}  | ${'must be base58 of 32 bytes'}
  ${'ethereum'} | ${after('sepolia', 7)} | ${WALLET}                                 | ${'network'} | ${`must be a network of ethereum. Character 8 is ${ZERO_WIDTH}`}
  ${'ethereum'} | ${'sepola'}            | ${WALLET}                                 | ${'network'} | ${'must be a network of ethereum'}
  ${'solаna'}   | ${'devnet'}            | ${SOLANA}                                 | ${'chain'}   | ${'must be a chain of this service. Character 4 is "а" (U+0430)'}
`('the $field of $chain, $chainNetwork and $wallet is refused with its character', ({ field, detail, ...names }) => {
  const config = { networks: NETWORKS } as Config;
  for (const pointers of [WALLET_IN_BODY, IN_ITEM]) {
    const pointer = pointers[field as keyof NamePointers];
    expect(passTargetOf(names, {} as Partner, config, pointers)).toMatchObject({ errors: [{ pointer, detail }] });
  }
});

it.each<[string, v.GenericSchema, unknown, string]>([
  ['a gatekeeper network', gatekeeperNetwork, after(SOLANA, 3), `not all zero. Character 4 is ${ZERO_WIDTH}`],
  ['a contract', PARTNER_RULES.contract, after(WALLET, 42), `${ETHEREUM_RULE}. Character 43 is ${ZERO_WIDTH}`],
  ['the beginning of a wallet', SearchBody, { filter: { walletPrefix: after('0x5aAeb6', 8) } }, 'Character 9'],
  ['a place', SearchBody, { after: after('01a1f8a0-6cfb-7613-a30a-0ccef041f58c', 36) }, 'Character 37'],
  ['a webhook', WebhookPath, { webhook: after('01a1f8a0-6cfb-7613-a30a-0ccef041f58c', 36) }, 'Character 37'],
  ['a pass of a trail', AuditQuery, { pass: after(`ethereum/sepolia/${WALLET}`, 17) }, 'Character 18'],
])('%s is refused with its character', (_, schema, input, detail) => {
  expect(validate(schema, input)).toMatchObject({ errors: [{ detail: expect.stringContaining(detail) }] });
});
