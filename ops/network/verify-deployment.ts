import { setTimeout as sleep } from 'node:timers/promises';
import { type Hex, parseAbi } from 'viem';
import { encodeFunctionData } from 'viem/utils';
import { Failure } from '../../scripts/failure.ts';
import { type GatewayBuild, NOBODY, readGatewayBuild } from '../../scripts/gateway-build.ts';
import * as rpc from '../../src/chain/ethereum/rpc.ts';
import { type JsonRpc, openEndpoints } from '../../src/chain/json-rpc.ts';
import { RpcFault } from '../../src/chain/port.ts';
import { type RpcAnswer, resultOf } from '../../src/chain/rpc-answer.ts';
import type { DeploymentTarget } from './contract-deployment.ts';

const ABI = parseAbi([
  'function isSuperAdmin(address account) view returns (bool)',
  'function isTrustedForwarder(address forwarder) view returns (bool)',
]);
/** Storage slot of an ERC-1967 proxy with the address of its implementation. */
const IMPLEMENTATION_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';

/** A node may be behind the one that showed the transactions as final. */
const READINGS_MAX = 5;
/** The number of endpoints that must show the contract. A single endpoint is enough if the network has no other. */
const WITNESSES = 2;

/**
 * Reads the contract from every endpoint alone: code, implementation, admin, and that none of the known accounts is a forwarder.
 * Returns the number of endpoints that show it. Throws Failure if one shows another contract, or too few answer.
 */
export async function verifyDeployment(
  { nodes: { network, endpoints }, deployment }: DeploymentTarget,
  { admin, account }: { readonly admin: Hex | undefined; readonly account: Hex | undefined },
): Promise<number> {
  const build = readGatewayBuild();
  const { alone } = openEndpoints(endpoints, rpc.identityOf(network));
  const read = async ({ send }: { readonly send: JsonRpc }) => {
    try {
      return await findDifference(send, build, deployment, { admin: admin ?? NOBODY, account });
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

/** Returns the first difference as part of a sentence; undefined: the endpoint shows the contract as it was deployed. */
async function findDifference(
  send: JsonRpc,
  build: GatewayBuild,
  { implementation, contract }: DeploymentTarget['deployment'],
  { admin, account }: { readonly admin: Hex; readonly account: Hex | undefined },
): Promise<string | undefined> {
  const to = contract.address;
  const others = account === undefined || account === admin ? [] : [account];
  const ask = (functionName: 'isSuperAdmin' | 'isTrustedForwarder', each: Hex) =>
    rpc.call({ to, data: encodeFunctionData({ abi: ABI, functionName, args: [each] }) });
  const [code, slot, implementationCode, isAdmin, ...flags] = await send([
    rpc.code(to),
    { method: 'eth_getStorageAt', params: [to, IMPLEMENTATION_SLOT, 'latest'] },
    rpc.code(implementation.address),
    ask('isSuperAdmin', admin),
    ask('isTrustedForwarder', admin),
    ...others.flatMap((each) => [ask('isSuperAdmin', each), ask('isTrustedForwarder', each)]),
  ]);
  const own = implementation.address.slice(2).toLowerCase();
  if (resultOf(code) === '0x') return `no contract at ${to}`;
  if (lower(code) !== build.proxy.deployedBytecode) return `other code at ${to}`;
  if (!lower(slot).endsWith(own)) return `another implementation of ${to}`;
  if (lower(implementationCode).replaceAll(own, '0'.repeat(own.length)) !== build.implementation.deployedBytecode)
    return `other code at ${implementation.address}`;
  if (!isTrue(isAdmin)) return `that ${admin} is not the admin of ${to}`;
  return flags.some(isTrue) ? `another admin or a forwarder of ${to}` : undefined;
}

const lower = (answer: RpcAnswer | undefined) => resultOf<string>(answer).toLowerCase();

const isTrue = (answer: RpcAnswer | undefined) => BigInt(resultOf<Hex>(answer)) === 1n;
