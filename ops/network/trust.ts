import { Failure } from '../../scripts/failure.ts';
import { slotOf } from '../../src/network/slot.ts';
import { describeFault } from '../nodes/node-error.ts';
import { type NetworkNodes, openNodes } from '../nodes/open-nodes.ts';
import { readLoggedAccounts } from '../trust/logged-accounts.ts';
import { type ContractTrust, type ProgramTrust, readContractTrust, readProgramTrust } from '../trust/read-trust.ts';
import { VERDICTS } from '../trust/verdict.ts';
import type { TrustCommand } from './commands.ts';
import { readKeyFiles } from './key-files.ts';
import { openGateway } from './open-gateway.ts';

/** Whom the gatekeeper network depends on in one network, as `trust` prints it. */
export type Trust =
  | ((ContractTrust | ProgramTrust) & {
      /** The known accounts that are authorities of the gatekeeper network. */
      readonly authorities: readonly string[];
      /** The known accounts that are gatekeepers. */
      readonly gatekeepers: readonly string[];
    })
  | { readonly network: string; readonly error: string };

/** Reads whom the gatekeeper network depends on, on every named network. */
export async function readTrusts(command: TrustCommand): Promise<Trust[]> {
  const nodes = openNodes(command.nodes);
  const keys = readKeyFiles(command.keyFiles);
  const named = [
    ...command.known,
    ...[command.authority ?? keys.ethereum?.address, keys.solana?.address].filter(isGiven),
  ];

  async function read(each: NetworkNodes): Promise<Trust> {
    const { network } = each;
    const own = named.filter((address) => address.startsWith('0x') === (network.chain === 'ethereum'));
    const { gateway } = openGateway(each, command.key, nodes.slots);
    if (network.chain === 'solana') {
      const standing = await gateway.read({
        authorities: [],
        gatekeepers: [...new Set([...each.gatekeepers, ...own])],
      });
      const trust = await readProgramTrust({ ...each, network }, own);
      return { ...trust, authorities: [command.key], gatekeepers: holdersIn(standing.gatekeepers) };
    }
    const slot = slotOf(command.key, nodes.slots) ?? 0n;
    const logged = command.scanLogs ? await readLoggedAccounts({ ...each, network }, slot) : [];
    const trust = await readContractTrust({ ...each, network }, own, [...each.gatekeepers, ...logged]);
    const accounts = [...new Set([...own, ...each.gatekeepers, ...logged])];
    const standing = await gateway.read({ authorities: accounts, gatekeepers: accounts });
    if (!standing.exists)
      throw new Failure(`${command.key} is not in ${gateway.address}: name its contract with --contract`);
    return {
      ...trust,
      authorities: holdersIn(standing.authorities),
      gatekeepers: holdersIn(standing.gatekeepers),
    };
  }

  return Promise.all(
    nodes.named.map((each) =>
      read(each).catch((fault: unknown) => ({ network: each.network.network, error: describeFault(fault) })),
    ),
  );
}

const isGiven = (address: string | undefined): address is string => address !== undefined;

function holdersIn(standing: ReadonlyMap<string, boolean>): string[] {
  return [...standing].flatMap(([address, holds]) => (holds ? [address] : []));
}

/** Whether only the operator, or nobody, controls the contract or the program. */
export function isTrusted(trust: Trust): boolean {
  return !('error' in trust) && trust.verdict !== 'somebody-else';
}

const CODES: Readonly<Record<ContractTrust['code'], string>> = {
  'public-build': 'the public build',
  accepted: 'accepted in NETWORKS',
  unknown: 'unknown',
  none: 'none',
};

/** Returns the lines for a reader. */
export function formatTrust(trust: Trust): string[] {
  if ('error' in trust) return [`${trust.network}: ${trust.error}`];
  const { network, address, verdict, reasons, confirmed, authorities, gatekeepers } = trust;
  const lines = [
    ...reasons,
    ...('codeHash' in trust
      ? [`code ${trust.codeHash}: ${CODES[trust.code]}`, `implementation ${trust.implementation ?? 'none'}`]
      : [`last deployed in slot ${trust.deployedAt ?? 'unknown'}`]),
    ...authorities.map((each) => `${each} is an authority of the gatekeeper network`),
    ...gatekeepers.map((each) => `${each} is a gatekeeper`),
    confirmed ? 'two endpoints show it' : 'only one endpoint shows it',
  ];
  return [`${network} (${address}): ${VERDICTS[verdict]}`, ...lines.map((line) => `  ${line}`)];
}
