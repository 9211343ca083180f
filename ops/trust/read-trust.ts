import type { Address } from '@solana/kit';
import type { Hex } from 'viem';
import { type Agreed, agree } from '../../src/chain/agreement.ts';
import { type CodeStanding, codeStanding } from '../../src/chain/ethereum/contract-control.ts';
import { CIVIC_ACCOUNTS, openControlReader } from '../../src/chain/ethereum/read-control.ts';
import { openEndpoints } from '../../src/chain/json-rpc.ts';
import { RpcFault } from '../../src/chain/port.ts';
import { identityOf } from '../../src/chain/solana/rpc.ts';
import { askTogether } from '../../src/chain/whom-to-ask.ts';
import type { EthereumNetwork, SolanaNetwork } from '../../src/network/network.ts';
import { Failure } from '../../terminal/failure.ts';
import type { NetworkNodes } from '../nodes/open-nodes.ts';
import { readProgramControl } from './program-control.ts';
import { judgeContract, judgeProgram, type Verdict } from './verdict.ts';

/** Reads whom the passes of a network depend on. `npm run network -- trust` and the doctor show it. */

interface Common extends Verdict {
  readonly network: string;
  /** Address of the contract or the program. */
  readonly address: string;
  /** Whether two endpoints show it. */
  readonly confirmed: boolean;
}

export interface ContractTrust extends Common {
  readonly code: CodeStanding;
  readonly codeHash: Hex;
  readonly implementation: Hex | null;
  readonly superAdmins: readonly Hex[];
  readonly forwarders: readonly Hex[];
}

export interface ProgramTrust extends Common {
  readonly loader: string;
  readonly upgradeAuthority: string | null;
  /** The slot of the last deployment; null: unknown. */
  readonly deployedAt: number | null;
}

/**
 * Reads who controls the contract. Throws Failure if none exists or the endpoints contradict each other, and RpcFault if none answers.
 * @param own Accounts that the operator has named.
 * @param others Further accounts to ask about.
 */
export async function readContractTrust(
  { network, endpoints }: Pick<NetworkNodes, 'endpoints'> & { readonly network: EthereumNetwork },
  own: readonly string[] = [],
  others: readonly string[] = [],
): Promise<ContractTrust> {
  const contract = network.gateway;
  const accounts = [...new Set([...CIVIC_ACCOUNTS, ...own, ...others])] as Hex[];
  const [read = UNANSWERED] = await openControlReader(network, endpoints)([{ contract, accounts }]);
  const { value, isConfirmed } = demand(read, contract);
  const { codeHash } = value;
  if (codeHash === null) throw new Failure(`no contract exists at ${contract}`);
  const code = codeStanding(network, codeHash);
  return {
    network: network.network,
    address: contract,
    ...judgeContract(contract, code, value, own),
    confirmed: isConfirmed,
    code,
    ...value,
    codeHash,
  };
}

/** Reads who can replace the program. Throws as `readContractTrust` does. */
export async function readProgramTrust(
  { network, endpoints }: Pick<NetworkNodes, 'endpoints'> & { readonly network: SolanaNetwork },
  own: readonly string[] = [],
): Promise<ProgramTrust> {
  const program = network.program as Address;
  const { alone } = openEndpoints(endpoints, identityOf(network));
  const answers = await askTogether('control', alone, ({ send }) => readProgramControl(send, program));
  const { value, isConfirmed } = demand(agree(answers.filter((answer) => answer !== undefined)), program);
  if (value === null) throw new Failure(`no program exists at ${program}`);
  return { network: network.network, address: program, ...judgeProgram(value, own), confirmed: isConfirmed, ...value };
}

const UNANSWERED = { type: 'unanswered' } as const;

/** Returns what the endpoints show. Throws Failure if they contradict each other, and RpcFault if none answers. */
export function demand<T>(agreed: Agreed<T>, address: string): Extract<Agreed<T>, { type: 'read' }> {
  if (agreed.type === 'unanswered') throw new RpcFault('no endpoint shows who controls it');
  if (agreed.type === 'disputed') throw new Failure(`the endpoints contradict each other about ${address}`);
  return agreed;
}
