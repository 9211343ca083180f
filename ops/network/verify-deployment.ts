import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { CONTRACT_BUILDS } from '../../src/chain/ethereum/contract-control.ts';
import { readControls } from '../../src/chain/ethereum/read-control.ts';
import * as rpc from '../../src/chain/ethereum/rpc.ts';
import { type JsonRpc, openEndpoints } from '../../src/chain/json-rpc.ts';
import { RpcFault } from '../../src/chain/port.ts';
import { Failure } from '../../terminal/failure.ts';
import type { EthereumNodes } from './contract-deployment.ts';
import { type Creation, NOBODY } from './gateway-build.ts';

/** A node may be behind the one that showed the transactions as final. */
const READINGS_MAX = 5;
/** The number of endpoints that must show the contract. A single endpoint is enough if the network has no other. */
const WITNESSES = 2;

/** A contract behind a proxy, or one without: SlimGateway, which has no admin. */
export interface AnyDeployment {
  readonly implementation: Creation | null;
  readonly contract: Creation;
}

/**
 * Reads the contract from every endpoint alone: code, implementation, admin, and that none of the known accounts is a forwarder.
 * Returns the number of endpoints that show it. Throws Failure if one shows another contract, or too few answer.
 */
export const verifyDeployment = (
  { nodes, deployment }: { readonly nodes: EthereumNodes; readonly deployment: AnyDeployment },
  { admin, account }: { readonly admin: Hex | undefined; readonly account: Hex | undefined },
): Promise<number> =>
  countWitnesses(nodes, (send) => findDifference(send, deployment, { admin: admin ?? NOBODY, account }));

/**
 * Has every endpoint alone show a contract. Returns the number of endpoints that show it. Throws Failure if one shows another
 * contract, or too few answer.
 * @param findDifference Returns the first difference as part of a sentence; undefined: the endpoint shows the contract as it was deployed.
 */
export async function countWitnesses(
  { network, endpoints }: EthereumNodes,
  findDifference: (send: JsonRpc) => Promise<string | undefined>,
): Promise<number> {
  const { alone } = openEndpoints(endpoints, rpc.identityOf(network));
  const read = async ({ send }: { readonly send: JsonRpc }) => {
    try {
      return await findDifference(send);
    } catch (fault) {
      if (fault instanceof RpcFault) return 'unanswered';
      throw fault;
    }
  };
  let found = await Promise.all(alone.map(read));
  for (let reading = 1; found.some((each) => each !== undefined) && reading < READINGS_MAX; reading += 1) {
    await sleep(network.blockMs);
    found = await Promise.all(alone.map(read));
  }
  const wrong = found.findIndex((each) => each !== undefined && each !== 'unanswered');
  if (wrong >= 0) throw new Failure(`endpoint ${wrong + 1} of ${found.length} shows ${found[wrong]}`);
  const witnesses = found.filter((each) => each === undefined).length;
  if (witnesses < Math.min(WITNESSES, found.length))
    throw new Failure(`${witnesses} of ${found.length} endpoints answers: run the command again`);
  return witnesses;
}

/** Tells how many endpoints show what was deployed. */
export function tellWitnesses(network: string, endpoints: number, kind: string, tell: (line: string) => void): void {
  tell(`${network}: done and final. ${endpoints} endpoint${endpoints === 1 ? ' shows' : 's show'} the ${kind}`);
  if (endpoints === 1) tell(`${network}: only one endpoint was asked; it alone could lie`);
}

async function findDifference(
  send: JsonRpc,
  { implementation: behind, contract: { address: contract } }: AnyDeployment,
  { admin, account }: { readonly admin: Hex; readonly account: Hex | undefined },
): Promise<string | undefined> {
  const accounts = [...new Set([admin, account ?? admin])];
  const implementation = behind?.address ?? null;
  const [control] = await readControls(send, [{ contract, accounts, implementation }]);
  if (control === undefined || control.codeHash === null) return `no contract at ${contract}`;
  if (control.implementation !== implementation) return `another implementation of ${contract}`;
  const build = CONTRACT_BUILDS[behind ? 'gatewayToken' : 'slimGateway'];
  if (control.codeHash !== build.codeHash) return `other code at ${contract}`;
  // No more is to see: this code has neither admins nor forwarders.
  if (behind === null) return undefined;
  if (!control.superAdmins.includes(admin)) return `that ${admin} is not the admin of ${contract}`;
  const isAlone = control.superAdmins.length === 1 && control.forwarders.length === 0;
  return isAlone ? undefined : `another admin or a forwarder of ${contract}`;
}
