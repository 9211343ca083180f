import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { partnerCommand } from '../../scripts/partner-options.ts';
import { insertPartner, LIST_PARTNERS, setStatus } from '../../scripts/partner-sql.ts';
import { GATEKEEPER_NETWORKS } from './partners.ts';

const KEY = GATEKEEPER_NETWORKS[0] ?? '';
const ADD = ['add', '--local', '--client-id', 'c1', '--name', 'One', '--gatekeeper-network', KEY];

it('adds a partner', () => {
  expect(partnerCommand(ADD)).toEqual({
    command: 'add',
    database: ['--local'],
    partner: { clientId: 'c1', name: 'One', gatekeeperNetwork: KEY },
  });
  expect(partnerCommand([...ADD, '--networks', 'sepolia, devnet,sepolia', '--lifetime', '3600'])).toMatchObject({
    partner: { networks: ['sepolia', 'devnet'], lifetime: 3600 },
  });
});

it('leads wrangler to the database', () => {
  expect(partnerCommand(['list', '--local', '--state', '/s']).database).toEqual([
    '--local',
    '--persist-to',
    '/s/wrangler',
  ]);
  expect(partnerCommand(['list', '--remote']).database).toEqual(['--remote']);
  expect(partnerCommand(['suspend', 'c1', '--remote', '--env', 'staging'])).toEqual({
    command: 'suspend',
    clientId: 'c1',
    database: ['--remote', '--env', 'staging'],
  });
});

it.each([
  [[], /^Usage/],
  [['remove', 'c1', '--local'], /^Usage/],
  [['list'], /either --local or --remote/],
  [['list', '--local', '--remote'], /either --local or --remote/],
  [['list', '--remote', '--state', 'x'], /--state goes with --local/],
  [['list', '--local', '--env', 'x'], /--env goes with --remote/],
  [['list', '--local', '--nope'], /Unknown option '--nope'/],
  [['suspend', '--local'], /one CLIENT_ID/],
  [['suspend', 'a', 'b', '--local'], /one CLIENT_ID/],
  [ADD.slice(0, -2), /--gatekeeper-network is missing/],
  [[...ADD, '--gatekeeper-network', KEY.slice(1)], /32 bytes in base58/],
  [[...ADD, '--gatekeeper-network', `0${KEY.slice(1)}`], /32 bytes in base58/],
  [[...ADD, '--client-id', ' '], /--client-id is missing/],
  [[...ADD, '--name', 'a\nb'], /control characters/],
  [[...ADD, '--networks', 'sepolia,nowhere'], /"nowhere" is none of/],
  [[...ADD, '--networks', ''], /"" is none of/],
  [[...ADD, '--lifetime', '0'], /whole number/],
  [[...ADD, '--lifetime', '1.5'], /whole number/],
  [[...ADD, '--lifetime', '99999999999999999999'], /whole number/],
])('refuses %j', (args, complaint) => {
  expect(() => partnerCommand(args)).toThrow(complaint);
});

it('writes text as text', () => {
  const db = new DatabaseSync(':memory:');
  db.exec(readFileSync(new URL('../../migrations/0001_partners.sql', import.meta.url), 'utf8'));
  const awkward = `O'Hara"; DROP TABLE partners; -- '' \\ %`;
  const insert = insertPartner({
    clientId: awkward,
    name: awkward,
    gatekeeperNetwork: KEY,
    networks: ['sepolia'],
    lifetime: 60,
  });

  expect(db.prepare(insert).all()).toHaveLength(1);
  expect(db.prepare(insert).all()).toHaveLength(0);
  expect(db.prepare(setStatus(awkward, 'suspended')).all()).toHaveLength(1);
  expect(db.prepare(setStatus('nobody', 'suspended')).all()).toHaveLength(0);
  expect(db.prepare(LIST_PARTNERS).all()).toMatchObject([
    { client_id: awkward, name: awkward, networks: '["sepolia"]', pass_lifetime_seconds: 60, status: 'suspended' },
  ]);
});
