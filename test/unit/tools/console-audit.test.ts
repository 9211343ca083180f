import { expect, it } from 'vitest';
import { targetOf } from '../../../pages/console/audit/target.ts';

/** The items that an entry of an audit trail links to. */

const chain = { type: 'ethereum', network: 'sepolia' };
const names = { gatekeeperNetwork: 'KEY', chain: 'ethereum', network: 'sepolia', walletAddress: '0x52' };

it.each([
  [
    'a change of a pass',
    { pass: 'ID', chain, walletAddress: '0x52' },
    { pass: { chain, walletAddress: '0x52' }, network: 'sepolia', text: '' },
  ],
  [
    'a redrive',
    { pass: names },
    { pass: { chain, walletAddress: '0x52' }, network: 'sepolia', gatekeeperNetwork: 'KEY', text: '' },
  ],
  ['a webhook', { webhook: 'W' }, { text: 'W' }],
  ['a switched webhook', { disable: { gatekeeperNetwork: 'KEY', id: 'W' } }, { gatekeeperNetwork: 'KEY', text: 'W' }],
  ['a partner', { clientId: 'acme', gatekeeperNetwork: 'KEY' }, { client: 'acme', gatekeeperNetwork: 'KEY', text: '' }],
  [
    'a command',
    { command: 'deploy', environment: 'production', arguments: ['--env', 'x'] },
    { text: 'deploy --env x' },
  ],
  [
    'accepted losses',
    { accept: { gatekeeperNetwork: 'KEY', network: 'sepolia' } },
    { network: 'sepolia', gatekeeperNetwork: 'KEY', text: '' },
  ],
  ['a sign-in', {}, { text: '' }],
  ['a wallet that is none', { chain, walletAddress: '<b>' }, { network: 'sepolia', text: '<b>' }],
  ['a target of a later release', { moon: 1 }, { text: '{"moon":1}' }],
  ['a long field', { passes: { length: 9, sha256: 'ab' } }, { text: '{"passes":{"length":9,"sha256":"ab"}}' }],
])('finds the items of %s', (_, target, found) => {
  expect(targetOf({ target })).toEqual(found);
});
