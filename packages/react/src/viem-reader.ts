import { endOf, type PassReader, stateOf, tokenThatCounts } from './reader.ts';

/** The part of viem's public client that the reader needs. wagmi's `usePublicClient()` returns one. */
export interface ViemClient {
  readonly chain?: { readonly id: number } | undefined;
  readonly transport?: { readonly type: string; readonly url?: string | undefined } | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: viem infers the arguments and the result from the ABI.
  readContract(call: any): Promise<any>;
  // biome-ignore lint/suspicious/noExplicitAny: the block has more fields, by the chain.
  getBlock(args?: any): Promise<any>;
}

export interface ContractOptions {
  /** The gateway contract, from the record of a pass or from the operator. */
  readonly contract: `0x${string}`;
  /** The slot number of the gatekeeper network in it, from the operator. */
  readonly slot: bigint;
}

const view = (name: string, inputs: readonly string[], outputs: readonly string[]) => ({
  ...{ type: 'function', stateMutability: 'view', name },
  inputs: inputs.map((type) => ({ type })),
  outputs: outputs.map((type) => ({ type })),
});
const ABI = [
  view('verifyToken', ['address', 'uint256'], ['bool']),
  view('getTokenIdsByOwnerAndNetwork', ['address', 'uint256', 'bool'], ['uint256[]']),
  view('getToken', ['uint256'], ['address', 'uint8', 'string', 'uint256', 'uint256']),
];

/**
 * Reads an Ethereum-type network through the page's own viem client: three requests, and one more for each gateway token of the wallet,
 * which the client may send in one batch. The contract alone decides whether the pass is valid.
 */
export function viemReader(client: ViemClient, { contract, slot }: ContractOptions): PassReader {
  const ask = (functionName: string, ...args: readonly unknown[]) =>
    client.readContract({ address: contract, abi: ABI, functionName, args });
  return {
    // The same contract exists on many networks.
    key: `${client.chain?.id ?? client.transport?.url ?? ''}/${contract.toLowerCase()}/${slot}`,
    async read({ wallet }) {
      const [{ timestamp }, verified, ids]: [{ timestamp: bigint }, boolean, readonly bigint[]] = await Promise.all([
        client.getBlock(),
        ask('verifyToken', wallet, slot),
        ask('getTokenIdsByOwnerAndNetwork', wallet, slot, false),
      ]);
      const tokens = await Promise.all(ids.map(async (id) => tokenOf(id, await ask('getToken', id))));
      const counts = tokenThatCounts(tokens) ?? { state: 'NONE' };
      // The answers may be of different blocks: both must admit the wallet.
      return { ...counts, valid: verified === true && counts.state === 'ACTIVE', time: Number(timestamp) };
    },
  };
}

function tokenOf(id: bigint, [, state, , expiration]: readonly [string, number, string, bigint, bigint]) {
  return { token: `${id}`, state: stateOf(state), ...endOf(expiration === 0n ? null : expiration) };
}
