import type { Hex } from 'viem';
import type { Config } from '../../src/config/config.ts';
import type { Network } from '../../src/network/network.ts';
import { type ContractTrust, type ProgramTrust, readContractTrust, readProgramTrust } from '../trust/read-trust.ts';
import { VERDICTS } from '../trust/verdict.ts';
import { fail, notice, ok, type Verdict } from './check.ts';

/** Checks who controls the contract or the program on a network. Somebody else may be intended, so only the operator can judge it. */
export async function checkControl({ rpc }: Config, network: Network, contract: string): Promise<Verdict> {
  const endpoints = rpc[network.network] ?? [];
  if (network.chain === 'solana') return verdictOn(await readProgramTrust({ network, endpoints }), PROGRAM_REMEDY);
  const trust = await readContractTrust({ network: { ...network, gateway: contract as Hex }, endpoints });
  if (trust.code === 'unknown')
    return fail(
      `the code of ${trust.address} is unknown: the service signs no step that gives access`,
      `find out who changed it, then accept it: NETWORKS = {"${network.network}": {"codeHash": "${trust.codeHash}"}}`,
    );
  return verdictOn(trust, CONTRACT_REMEDY);
}

const CONTRACT_REMEDY =
  'find out whether you trust them, or use a contract that nobody commands: `npm run network -- deploy` (docs/operators/gatekeeper-networks.md)';
const PROGRAM_REMEDY =
  'find out whether you trust them: the account that replaces the program can change every pass on this network';

function verdictOn({ verdict, address, reasons }: ContractTrust | ProgramTrust, remedy: string): Verdict {
  const text = `${VERDICTS[verdict]} controls ${address}: ${reasons.join('; ')}`;
  return verdict === 'somebody-else' ? notice(`${text} -> ${remedy}`) : ok(text);
}
