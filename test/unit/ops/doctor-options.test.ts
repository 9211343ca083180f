import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { GATEKEEPER_NETWORKS } from '../../../localnet/oauth/partners.ts';
import { doctorOptions } from '../../../ops/doctor/options.ts';
import { subjectOf } from '../../../ops/doctor/subject.ts';
import { doctor } from '../../system/ops/doctored.ts';

/** The command line of `npm run doctor`. */

const KEY = GATEKEEPER_NETWORKS[0] ?? '';

it('reads its command line', () => {
  const args = ['--env', 'staging', '--url', 'https://api.acme.io/partner/', '--gatekeeper-network', KEY];
  expect(doctorOptions([...args, '--gatekeeper-network', KEY])).toMatchObject({
    environment: 'staging',
    url: 'https://api.acme.io/partner',
    gatekeeperNetworks: [KEY],
  });
  expect(doctorOptions(['--local'])).toMatchObject({
    environment: undefined,
    localnet: expect.stringMatching(/\.dev\/localnet\.json$/),
  });
});

it.each([
  [[], /^Usage/],
  [['--local', '--env', 'staging'], /^Usage/],
  [['--local', '--secrets', 'x'], /--secrets goes with --env/],
  [['--env', 'staging', '--localnet', 'x'], /--localnet goes with --local/],
  [['--local', '--gatekeeper-network', KEY.slice(1)], /32 bytes in base58/],
  [['--local', '--url', 'api.acme.io'], /--url must be like/],
  [['--local', '--url', 'ftp://api.acme.io'], /--url must be like/],
  [['--local', '--url', 'https://api.acme.io/?x=y'], /without user, password, query and fragment/],
  [['--local', '--url', 'https://api.acme.io/#'], /without user, password, query and fragment/],
  [['--local', '--url', 'https://me@api.acme.io'], /without user, password, query and fragment/],
  [['--local', '--nope'], /^Unknown option '--nope'.*\nUsage: npm run doctor/],
  [['--local', '--url'], /^Option '--url.*\nUsage: npm run doctor/],
])('refuses %j', (args, complaint) => {
  expect(() => doctorOptions(args)).toThrow(complaint);
});

it('never shows the password of a URL', () => {
  const refused = () => doctorOptions(['--local', '--url', 'https://me:planted7f3a@api.acme.io']);
  expect(refused).toThrow(/^--url must be like https:\/\/api\.acme\.com, without user, password/);
  expect(refused).not.toThrow(/planted7f3a/);
});

it('prints how it is used where that is asked for', async () => {
  const { code, lines } = await doctor(['--local', '--help']);
  expect(lines[0]).toMatch(/^Usage: npm run doctor -- /);
  expect(code).toBe(0);
});

it('prints how it is used behind what is wrong with an option', async () => {
  const { code, lines } = await doctor(['--nope']);
  expect(lines.slice(0, 2)).toEqual([
    expect.stringMatching(/^Unknown option '--nope'/),
    expect.stringMatching(/^Usage: npm run doctor -- /),
  ]);
  expect(code).toBe(2);
});

it('tells wrong usage from what is not in order', async () => {
  const { code, lines } = await doctor(['--env', 'prodution']);
  expect([code, lines]).toEqual([2, [expect.stringMatching(/no \[env\.prodution\]; it has staging/)]]);
  const none = doctorOptions(['--local', '--localnet', join(tmpdir(), 'gatepass-none', 'localnet.json')]);
  expect(() => subjectOf(none)).toThrow(/^no `npm run dev` runs: .* cannot be read \(ENOENT\)$/);
});
