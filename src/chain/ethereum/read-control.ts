import { bytesToHex, type Hex, keccak256 } from '../../lib/bytes.ts';
import type { Secret } from '../../lib/secret.ts';
import type { EthereumNetwork } from '../../network/network.ts';
import { checksumAddress } from '../../network/wallet.ts';
import { type Agreed, agree } from '../agreement.ts';
import { type JsonRpc, openEndpoints } from '../json-rpc.ts';
import type { RpcCall } from '../json-rpc-batch.ts';
import { RpcFault } from '../port.ts';
import { needsAnother, type RpcAnswer, resultOf } from '../rpc-answer.ts';
import { askTogether } from '../whom-to-ask.ts';
import { encodeCall } from './abi.ts';
import type { ContractControl } from './contract-control.ts';
import { ETHEREUM_ERRORS } from './node-answers.ts';
import * as rpc from './rpc.ts';

/**
 * Reads which code a contract has, and which accounts can change the code or act for others. Each answer is a hash, an address or
 * a flag: no text of the contract is read.
 */

/** The accounts of Civic that public deployment records name as super admin and as forwarder. */
export const CIVIC_ACCOUNTS: readonly Hex[] = [
  '0x74489ac99AE3cE1428Ce8C8dBE374CFFc009081E',
  '0x8419F704CD6520E2C3EF477ef9BFA3159Ea1ACA7',
];

/** The storage slot of an ERC-1967 proxy with the address of its implementation. */
const IMPLEMENTATION_SLOT = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc';

interface ControlQuestion {
  readonly contract: Hex;
  /** The accounts to ask about, because no build lists its admins or forwarders. */
  readonly accounts: readonly Hex[];
  /** The implementation that was read last. If the contract still has it, one batch answers everything. */
  readonly implementation?: Hex | null | undefined;
}

/** Reads who controls each contract as of the newest block, in one batch. Throws RpcFault if a read has no answer. */
export async function readControls(send: JsonRpc, questions: readonly ControlQuestion[]): Promise<ContractControl[]> {
  const asked = questions.map((question) => [question, callsFor(question)] as const);
  const answers = await send(asked.flatMap(([, calls]) => calls));
  let from = 0;
  return Promise.all(
    asked.map(([question, calls]) => {
      from += calls.length;
      return controlIn(send, question, answers.slice(from - calls.length, from));
    }),
  );
}

function callsFor({ contract: to, accounts, implementation }: ControlQuestion): RpcCall[] {
  const ask = (name: 'isSuperAdmin' | 'isTrustedForwarder') =>
    accounts.map((account) => rpc.call({ to, data: encodeCall(name, [account]) }));
  return [
    rpc.code(to),
    rpc.storageAt(to, IMPLEMENTATION_SLOT),
    ...ask('isSuperAdmin'),
    ...ask('isTrustedForwarder'),
    ...(implementation ? [rpc.code(implementation)] : []),
  ];
}

/** Returns the control in the answers to `callsFor`. Reads the code of the implementation if it is another than the known one. */
async function controlIn(
  send: JsonRpc,
  { accounts, implementation: known }: ControlQuestion,
  [code, slot, ...answers]: readonly RpcAnswer[],
): Promise<ContractControl> {
  const proxy = resultOf<Hex>(code);
  if (proxy === '0x') return { codeHash: null, implementation: null, superAdmins: [], forwarders: [] };
  const implementation = implementationIn(resultOf<Hex>(slot));
  const isKnown = implementation !== null && implementation === known;
  const codeOf = async (address: Hex) => (isKnown ? answers.at(-1) : (await send([rpc.code(address)]))[0]);
  const flags = answers.slice(0, 2 * accounts.length).map(isTrue);
  return {
    codeHash: hashCode(
      proxy,
      implementation && { address: implementation, code: resultOf(await codeOf(implementation)) },
    ),
    implementation,
    superAdmins: accounts.filter((_, index) => flags[index]),
    forwarders: accounts.filter((_, index) => flags[accounts.length + index]),
  };
}

function implementationIn(slot: Hex): Hex | null {
  if (!/^0x[0-9a-f]{64}$/i.test(slot)) throw new RpcFault('the storage of the contract cannot be read');
  return BigInt(slot) === 0n ? null : checksumAddress(`0x${slot.slice(-40)}`);
}

/** Another contract may lack the function, and a revert is its own answer. */
function isTrue(answer: RpcAnswer): boolean {
  if (needsAnother(answer, ETHEREUM_ERRORS)) return resultOf(answer);
  return 'result' in answer && /^0x0{63}1$/.test(String(answer.result));
}

/**
 * Returns the hash of a contract's runtime code. The code of a UUPS implementation contains its own address, which differs
 * between deployments, so zeros replace it.
 */
export function hashCode(proxy: Hex, implementation: { readonly address: Hex; readonly code: Hex } | null): Hex {
  if (implementation === null) return bytesToHex(keccak256(proxy));
  const own = implementation.address.slice(2).toLowerCase();
  const code = implementation.code
    .toLowerCase()
    .replaceAll(own, (found, at: number) => (at % 2 === 0 ? '0'.repeat(own.length) : found));
  return bytesToHex(keccak256(`${proxy}${code.slice(2)}`));
}

/** Reads who controls each contract from every endpoint alone, with one batch each. Returns the results in order. */
export type ControlReader = (questions: readonly ControlQuestion[]) => Promise<Agreed<ContractControl>[]>;

export function openControlReader(network: EthereumNetwork, endpoints: readonly Secret<string>[]): ControlReader {
  const { alone } = openEndpoints(endpoints, rpc.identityOf(network));
  return async (questions) => {
    const answers = await askTogether('control', alone, ({ send }) => readControls(send, questions));
    return questions.map((_, index) => agree(answers.flatMap((controls) => controls?.[index] ?? [])));
  };
}
