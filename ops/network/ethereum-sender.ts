import type { Hex } from 'viem';
import { keccak256, size } from 'viem/utils';
import { conditionCalls, type NetworkConditions, readConditions } from '../../src/chain/ethereum/network-conditions.ts';
import * as rpc from '../../src/chain/ethereum/rpc.ts';
import { broadcast } from '../../src/chain/ethereum/transaction.ts';
import { signBytes } from '../../src/chain/ethereum/transaction-bytes.ts';
import type { JsonRpc } from '../../src/chain/json-rpc.ts';
import { describeError, type RpcAnswer, resultOf } from '../../src/chain/rpc-answer.ts';
import type { SigningKey } from '../../src/chain/signing/signing-key.ts';
import type { EthereumNetwork } from '../../src/network/network.ts';
import { Failure } from '../../terminal/failure.ts';
import { formatWei } from '../amounts.ts';
import { type Progress, refusalIn, type Sender } from './sender.ts';
import type { SignedTransaction } from './transactions-file.ts';

/** A call of a contract. */
export interface Call {
  readonly to: Hex;
  readonly data: Hex;
  readonly value?: bigint;
}

/** A transaction whose gas a node can estimate. Without `to`, it creates a contract. */
export interface Estimable extends Omit<Call, 'to'> {
  readonly to?: Hex;
}

/** The gas of a change that no node can estimate yet: this share of the gas of that transaction. */
export interface GasSample {
  readonly of: Estimable;
  readonly percent: bigint;
}

/** How an account on an Ethereum-type network makes changes. */
export interface EthereumChanges<Change> {
  readonly network: EthereumNetwork;
  readonly send: JsonRpc;
  /** Returns the maximum gas of a transaction, even if a node estimates more. */
  maxGasOf(call: Estimable): bigint;
  describe(change: Change): string;
  callOf(change: Change): Call;
  /** Returns the sample of a change that no node can estimate yet, because another one of the list must come first; else undefined. */
  sampleOf(change: Change, changes: readonly Change[]): GasSample | undefined;
  /** Returns the contract's reason as part of a sentence. */
  reasonOf(revert: Hex): string;
}

/** The state may change until a block includes the transaction. */
const GAS_MARGIN_PERCENT = 30n;

const addMargin = (gas: bigint) => (gas * (100n + GAS_MARGIN_PERCENT)) / 100n;

const requestOf = (from: Hex, { to, data, value = 0n }: Estimable) => ({
  from,
  ...(to && { to }),
  data,
  value: rpc.hex(value),
});

const describeFailure = (answer: RpcAnswer) => ('error' in answer ? describeError(answer.error) : '');

/** Returns the sender for an account with that key. */
export function createEthereumSender<Change>(changes: EthereumChanges<Change>, key: SigningKey): Sender<Change> {
  const { network, send, maxGasOf, describe, callOf, sampleOf, reasonOf } = changes;
  const account = { address: key.address as Hex };

  /**
   * Returns the gas limit of a change, from the estimate of a node.
   * @param of The transaction that the node estimates.
   */
  async function readGas(change: Change, of: Estimable = callOf(change)): Promise<bigint> {
    const [answer] = await send([rpc.estimateGas(requestOf(account.address, of))]);
    const text = describe(change);
    if (answer && rpc.isOutOfGas(answer))
      throw new Failure(
        `to ${text} takes more gas than the node allows for one transaction (${describeFailure(answer)}): ` +
          'name an endpoint that allows more',
      );
    const revert = answer && rpc.revertData(answer);
    if (revert !== undefined) throw new Failure(`the contract refuses to ${text}: ${reasonOf(revert)}`);
    const gas = addMargin(rpc.quantityOf(answer));
    const most = maxGasOf(of);
    if (gas > most)
      throw new Failure(
        `to ${text} takes ${gas} gas as the node estimates, with a margin, and the command sends at most ${most}: compare with another endpoint`,
      );
    return gas;
  }

  async function readMarket(): Promise<NetworkConditions> {
    const conditions = readConditions(await send(conditionCalls(account.address, network)), network);
    if (conditions.isTooDear || conditions.isL1TooDear)
      throw new Failure('the network charges more than its fee caps (maxFeePerGas, maxL1Fee): try again later');
    return conditions;
  }

  return {
    account: account.address,
    async estimate(all) {
      const { price } = await readMarket();
      const gas = await Promise.all(
        all.map(async (change) => {
          const { of, percent } = sampleOf(change, all) ?? { of: callOf(change), percent: 100n };
          return ((await readGas(change, of)) * percent) / 100n;
        }),
      );
      return all.map((change, index) => {
        const call = callOf(change);
        return (gas[index] ?? 0n) * price.fee + l1FeeOf(call, price.l1Fee) + (call.value ?? 0n);
      });
    },
    async readFunds() {
      return rpc.quantityOf((await send([rpc.balance(account.address)]))[0]);
    },
    formatAmount: formatWei,
    async sign(change, firstNonce) {
      const gas = await readGas(change);
      const { price, nonces } = await readMarket();
      const nonce = Math.max(nonces.latest, firstNonce);
      if (nonces.pending === undefined || nonces.pending > nonce)
        throw new Failure(
          `${account.address} has pending transactions that are not in the file of --state: wait until blocks include them`,
        );
      const unsigned = { ...callOf(change), gas, nonce, chainId: network.chainId };
      const bytes = await signBytes(
        key,
        network.fees === 'legacy'
          ? { ...unsigned, type: 'legacy', gasPrice: price.fee }
          : { ...unsigned, type: 'eip1559', maxFeePerGas: price.fee, maxPriorityFeePerGas: price.tip },
      );
      return { identifier: keccak256(bytes), bytes, nonce };
    },
    broadcast: async (signed) => refusalIn(await broadcast({ rpc: send }, [{ signed }])),
    track: (transaction) => trackTransaction({ send, network }, account.address, transaction),
  };
}

/** The quoted L1 data fee is that of a transaction of this size. */
const QUOTED_BYTES = 420;

/** Returns the L1 data fee of a call. It grows with the data. */
function l1FeeOf({ data }: Call, quoted = 0n): bigint {
  return quoted * BigInt(Math.max(1, Math.ceil(size(data) / QUOTED_BYTES)));
}

/** Returns the progress of the transaction. Only its receipt proves that a block includes it. */
export async function trackTransaction(
  { send, network }: Pick<EthereumChanges<unknown>, 'send' | 'network'>,
  account: string,
  { identifier, nonce = 0 }: SignedTransaction,
): Promise<Progress> {
  const { final } = network;
  const [head, tagged, answer] = await send([
    rpc.blockNumber,
    'tag' in final ? rpc.block(final.tag) : rpc.blockNumber,
    rpc.receipt(identifier),
  ]);
  const height = Number(rpc.quantityOf(head));
  const finalBlock = 'tag' in final ? (rpc.numberOf(tagged) ?? -1) : height - final.depth;
  const receipt = resultOf<{ blockNumber?: Hex | null; status?: Hex } | null>(answer);
  if (typeof receipt?.blockNumber === 'string') {
    const block = Number(receipt.blockNumber);
    if (block <= finalBlock) return isReverted(receipt) ? 'failed' : 'final';
    if (height - block + 1 < network.confirmations) return 'pending';
    return isReverted(receipt) ? 'reverted' : 'included';
  }
  const [known, latest, used] = await send([
    rpc.transaction(identifier),
    rpc.nonce(account),
    rpc.nonceAt(account, rpc.hex(Math.max(finalBlock, 0))),
  ]);
  if (resultOf(known) !== null) return 'pending';
  if (finalBlock >= 0 && used && 'result' in used && rpc.countOf(used) > nonce) return 'lost';
  return rpc.countOf(latest) < nonce ? 'ahead' : 'pending';
}

const isReverted = ({ status }: { status?: Hex }) => status !== '0x1';
