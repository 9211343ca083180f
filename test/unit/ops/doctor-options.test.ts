import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { doctorCommand } from '../../../ops/doctor.ts';
import { readDeployment } from '../../../ops/nodes/deployment.ts';
import { GATEKEEPER_NETWORKS, SANDBOX } from '../../../tools/localnet/oauth/partners.ts';
import { parseCommand } from '../../parse-command.ts';

/** The command line of `npm run doctor`. */

const KEY = GATEKEEPER_NETWORKS[0] ?? '';
const parse = (args: readonly string[]) => parseCommand(doctorCommand, args);

it('reads the options of the command line', () => {
  const args = ['--env', 'staging', '--url', 'https://api.acme.io/partner/', '--gatekeeper-network', KEY];
  expect(parse([...args, '--gatekeeper-network', KEY])).toMatchObject({
    environment: 'staging',
    url: 'https://api.acme.io/partner',
    gatekeeperNetworks: [KEY],
  });
  expect(parse(['--local'])).toMatchObject({
    environment: undefined,
    localnet: expect.stringMatching(/\.dev\/localnet\.json$/),
  });
});

it.each([
  [[], /^name one of --local, --env$/],
  [['--local', '--env', 'staging'], /^name one of --local, --env$/],
  [['--local', '--secrets', 'x'], /--secrets requires --env/],
  [['--env', 'staging', '--localnet', 'x'], /--localnet requires --local/],
  [['--local', '--gatekeeper-network', KEY.slice(1)], /32 bytes in base58/],
  [['--local', '--gatekeeper-network', SANDBOX], /It is a sandbox, which no chain has/],
  [['--local', '--gatekeeper-network', `${'1'.repeat(31)}2`], /the first 24 are not all zero/],
  [['--local', '--url', 'api.acme.io'], /--url must be like/],
  [['--local', '--url', 'ftp://api.acme.io'], /--url must be like/],
  [['--local', '--url', 'https://api.acme.io/?x=y'], /without user, password, query or fragment/],
  [['--local', '--url', 'https://api.acme.io/#'], /without user, password, query or fragment/],
  [['--local', '--url', 'https://me@api.acme.io'], /without user, password, query or fragment/],
  [['--local', '--nope'], /unknown option '--nope'/],
  [['--local', '--url'], /option '--url <url>' argument missing/],
  [['--env', '--local'], /--env needs a value/],
  [['--env', 'staging', '--secrets', '--url'], /It must be a path/],
])('refuses the arguments %j', (args, complaint) => {
  expect(() => parse(args)).toThrow(complaint);
});

it('never shows the password of a URL', () => {
  const refused = () => parse(['--local', '--url', 'https://me:planted7f3a@api.acme.io']);
  expect(refused).toThrow(/^--url must be like https:\/\/api\.acme\.com, without user, password/);
  expect(refused).not.toThrow(/planted7f3a/);
});

it('throws an error that names the command to start the Worker if no localnet runs', () => {
  const none = parse(['--local', '--localnet', join(tmpdir(), 'gatepass-none', 'localnet.json')]);
  expect(() => readDeployment(none)).toThrow(/^`npm run dev` must run: .* cannot be read \(ENOENT\)$/);
});
