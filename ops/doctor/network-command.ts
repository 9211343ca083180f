import type { EnabledNetwork } from '../../src/config/signers.ts';

/**
 * Returns the command that lets the key issue for a gatekeeper network, or no longer.
 * @param environment Name of the block in `wrangler.toml`; undefined: the localnet.
 */
export function networkCommand(
  verb: 'create' | 'add-gatekeeper' | 'remove-gatekeeper',
  { network, gatekeeper }: EnabledNetwork,
  gatekeeperNetwork: string,
  environment: string | undefined,
): string {
  const subject = verb === 'create' ? `${gatekeeperNetwork} --name NAME` : `${gatekeeperNetwork} ${gatekeeper.address}`;
  const nodes = environment === undefined ? '--local' : `--env ${environment} --secrets FILE`;
  const main = network.testnet ? '' : ' --mainnet';
  return `\`npm run network -- ${verb} ${subject} --network ${network.network} ${nodes}${main} --authority-key-file FILE\``;
}
