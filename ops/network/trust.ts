import { agree } from '../../src/chain/agreement.ts';
import { CONTRACT_BUILDS } from '../../src/chain/ethereum/contract-control.ts';
import { RpcFault } from '../../src/chain/port.ts';
import { slotOf } from '../../src/network/slot.ts';
import { Failure } from '../../terminal/failure.ts';
import { describeFault } from '../nodes/node-error.ts';
import { type NetworkNodes, openNodes } from '../nodes/open-nodes.ts';
import { formatIssuers, type JudgedIssuer, judgeIssuers, readSolanaIssuers } from '../trust/issuers.ts';
import { readLogged } from '../trust/logged-accounts.ts';
import {
  type ContractTrust,
  demand,
  type ProgramTrust,
  readContractTrust,
  readProgramTrust,
} from '../trust/read-trust.ts';
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
      /** The number of endpoints that were asked. */
      readonly endpoints: number;
      /** The accounts that issued the tokens. Undefined: they were not asked for. Null: no endpoint lists them. */
      readonly issuers?: readonly JudgedIssuer[] | null;
    })
  | { readonly network: string; readonly error: string };

/** Reads whom the gatekeeper network depends on, on every named network. */
export async function readTrusts(command: TrustCommand): Promise<Trust[]> {
  const nodes = openNodes(command.nodes);
  const keys = readKeyFiles(command.keyFiles, command.nodes.source);
  const named = [
    ...command.known,
    ...[command.authority ?? keys.ethereum?.address, keys.solana?.address].filter(isGiven),
  ];

  async function read(each: NetworkNodes): Promise<Trust> {
    const { network } = each;
    const own = named.filter((address) => address.startsWith('0x') === (network.chain === 'ethereum'));
    const asked = each.endpoints.length;
    if (network.chain === 'solana') {
      const roles = await readRoles([], [...new Set([...each.gatekeepers, ...own])]);
      const trust = await readProgramTrust({ ...each, network }, own);
      const { gatekeepers } = roles.value;
      const confirmed = trust.confirmed && roles.isConfirmed;
      const issuers = command.scanLogs ? await readSolanaIssuers({ ...each, network }, command.key) : undefined;
      return {
        ...trust,
        confirmed,
        authorities: [command.key],
        gatekeepers,
        endpoints: asked,
        ...(command.scanLogs && { issuers: issuers ? judgeIssuers(issuers, [...each.gatekeepers, ...own]) : null }),
      };
    }
    const slot = slotOf(command.key, nodes.slots) ?? 0n;
    const { accounts: logged, issuers } = command.scanLogs
      ? await readLogged({ ...each, network }, slot)
      : { accounts: [], issuers: undefined };
    const trust = await readContractTrust({ ...each, network }, own, [...each.gatekeepers, ...logged]);
    const accounts = [...new Set([...own, ...each.gatekeepers, ...logged])];
    const { value, isConfirmed } = await readRoles(accounts, accounts);
    const { exists, ...roles } = value;
    if (!exists) throw new Failure(`${command.key} is not in ${trust.address}: name its contract with --contract`);
    return {
      ...trust,
      ...roles,
      confirmed: trust.confirmed && isConfirmed,
      endpoints: asked,
      ...(issuers && { issuers: judgeIssuers(issuers, [...each.gatekeepers, ...own]) }),
    };

    /** Reads from every endpoint alone which of the accounts are authorities and gatekeepers. */
    async function readRoles(authorities: readonly string[], gatekeepers: readonly string[]) {
      const alone = each.endpoints.map(async (endpoint) => {
        const { gateway } = openGateway({ ...each, endpoints: [endpoint] }, command.key, nodes.slots);
        const standing = await gateway.read({ authorities, gatekeepers });
        return {
          exists: standing.exists,
          authorities: holdersIn(standing.authorities),
          gatekeepers: holdersIn(standing.gatekeepers),
        };
      });
      return demand(agree(await answersOf(alone)), command.key);
    }
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

/** Returns the answers that came. Throws a fault that is no node's. */
async function answersOf<T>(questions: readonly Promise<T>[]): Promise<T[]> {
  const settled = await Promise.allSettled(questions);
  return settled.flatMap((each) => {
    if (each.status === 'fulfilled') return each.value;
    if (each.reason instanceof RpcFault) return [];
    throw each.reason;
  });
}

/** Whether only the operator, or nobody, controls the contract or the program, and no endpoint says so alone beside silent ones. */
export function isTrusted(trust: Trust): boolean {
  if ('error' in trust) return false;
  return trust.verdict !== 'somebody-else' && (trust.confirmed || trust.endpoints === 1);
}

const CODES: Readonly<Record<ContractTrust['code'], string>> = {
  'public-build': 'the public build',
  accepted: 'accepted in NETWORKS',
  unknown: 'unknown',
  none: 'none',
};

const nameOfCode = ({ code, codeHash }: ContractTrust) =>
  codeHash === CONTRACT_BUILDS.slimGateway.codeHash ? 'SlimGateway of @gatepass/contracts' : CODES[code];

/** Returns the lines for a reader. */
export function formatTrust(trust: Trust): string[] {
  if ('error' in trust) return [`${trust.network}: ${trust.error}`];
  const { network, address, verdict, reasons, confirmed, authorities, gatekeepers, endpoints, issuers } = trust;
  const lines = [
    ...reasons,
    ...('codeHash' in trust
      ? [`code ${trust.codeHash}: ${nameOfCode(trust)}`, `implementation ${trust.implementation ?? 'none'}`]
      : [`last deployed in slot ${trust.deployedAt ?? 'unknown'}`]),
    ...authorities.map((each) => `${each} is an authority of the gatekeeper network`),
    ...gatekeepers.map((each) => `${each} is a gatekeeper`),
    ...(issuers === undefined ? [] : formatIssuers(issuers)),
    confirmed
      ? 'two endpoints show it'
      : `only one ${endpoints > 1 ? `of ${endpoints} endpoints` : 'endpoint'} shows it`,
  ];
  return [`${network} (${address}): ${VERDICTS[verdict]}`, ...lines.map((line) => `  ${line}`)];
}
