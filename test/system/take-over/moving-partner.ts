import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { base58 } from '@scure/base';
import { expect } from 'vitest';
import { runNetworkCommand } from '../../../ops/network.ts';
import { runPartnerCommand } from '../../../ops/partner.ts';
import type { Gatepass } from '../../../tools/localnet/gatepass.ts';
import { runCommand } from '../ops/run-command.ts';
import { runProgram } from '../run-program.ts';
import type { ForeignToken } from './foreign-tokens.ts';
import type { deployGated } from './gated-contract.ts';

/** The steps of each move of a partner to another gatekeeper network, with the commands of the take-over guide. */

export const isValid = ({ kind }: ForeignToken): boolean => ['active', 'expiring', 'two'].includes(kind);

/** Runs an operator's command, and returns what it prints. */
export async function run(command: (args: readonly string[]) => Promise<number>, ...args: string[]): Promise<string> {
  const { code, printed } = await runCommand(command, args);
  expect(code, printed).toBe(0);
  return printed;
}

/** Creates the key pair of a gatekeeper network in the folder. Returns its public key. */
export async function createNetworkKey(folder: string): Promise<string> {
  const file = join(folder, 'network.json');
  await run(runNetworkCommand, 'keygen', '--out', file);
  return base58.encode(Uint8Array.from(JSON.parse(readFileSync(file, 'utf8')).slice(32)));
}

/**
 * Registers the partner with another gatekeeper network: its export is edited and imported.
 * @param contracts The contract of its passes on each network that does not have the default one.
 */
export async function registerPartner(
  folder: string,
  partner: string,
  key: string,
  contracts: Readonly<Record<string, string>> = {},
): Promise<void> {
  const file = (name: string) => join(folder, name);
  const service = ['--local', '--localnet', file('localnet.json')];
  await run(runPartnerCommand, 'export', file('partners.json'), ...service);
  const exported = JSON.parse(readFileSync(file('partners.json'), 'utf8'));
  exported.gatekeeper_networks.push({ key, shard: 'DB', public_verify: 0, contracts: JSON.stringify(contracts) });
  for (const row of exported.partners) if (row.client_id === partner) row.gatekeeper_network = key;
  writeFileSync(file('edited.json'), JSON.stringify(exported));
  await run(runPartnerCommand, 'import', file('edited.json'), ...service);
}

/** Returns the wallets of these tokens that the contract admits. */
export async function admittedBy(
  { admits }: Awaited<ReturnType<typeof deployGated>>,
  tokens: readonly ForeignToken[],
): Promise<string[]> {
  const admitted = await Promise.all(tokens.map(async ({ wallet }) => ((await admits(wallet)) ? [wallet] : [])));
  return admitted.flat();
}

/** Issues the passes of a scanned file with the partner's command. */
export async function issueScanned({ facts }: Gatepass, partner: string, csv: string): Promise<void> {
  const { code, stdout, stderr } = await runProgram(
    [process.execPath, 'packages/cli/bin/gatepass.js', 'issue', '--csv', csv],
    {
      GATEPASS_URL: facts.baseUrl,
      GATEPASS_TOKEN_URL: facts.tokenUrl,
      GATEPASS_CLIENT_ID: partner,
      GATEPASS_CLIENT_SECRET: `${partner}-secret`,
    },
  );
  expect(code, stdout + stderr).toBe(0);
}
