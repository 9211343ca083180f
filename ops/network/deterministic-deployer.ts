import { setTimeout as sleep } from 'node:timers/promises';
import type { Hex } from 'viem';
import { keccak256, slice } from 'viem/utils';
import * as rpc from '../../src/chain/ethereum/rpc.ts';
import { broadcast } from '../../src/chain/ethereum/transaction.ts';
import type { JsonRpc } from '../../src/chain/json-rpc.ts';
import { RpcFault } from '../../src/chain/port.ts';
import type { EthereumNetwork } from '../../src/network/network.ts';
import { Failure } from '../../terminal/failure.ts';
import { nodeErrorIn } from '../nodes/node-error.ts';
import { trackTransaction } from './ethereum-sender.ts';
import { refusalIn } from './sender.ts';

/**
 * The transaction that creates the deterministic deployer. Nobody has the key of its account: the signature was chosen, and the
 * account follows from it. So nonce, gas and price are fixed, and it has no chain id, so that it is valid on every chain.
 */
const SIGNED: Hex =
  '0xf8a58085174876e800830186a08080b853604580600e600039806000f350fe7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffe03601600081602082378035828234f58015156039578182fd5b8082525050506014600cf31ba02222222222222222222222222222222222222222222222222222222222222222a02222222222222222222222222222222222222222222222222222222222222222';
const TRANSACTION = { identifier: keccak256(SIGNED), bytes: SIGNED, nonce: 0 };

/** The gas of that transaction. EIP-8037 makes the creation cost more, so that the transaction would pay and create nothing. */
const GAS = 100_000n;
/** The init code that it sends. */
const INIT_CODE = slice(SIGNED, 17, 100);

/** The code that it creates. */
export const DEPLOYER_CODE = slice(INIT_CODE, 14);

/** The account of that transaction, and the wei that it needs: its gas for 100 gwei each. */
export const DEPLOYER_ACCOUNT = '0x3fAB184622Dc19b6109349B94811493BF2a45362';
export const DEPLOYER_COST = GAS * 100_000_000_000n;

/** A single refusal may come from a node that is behind, or that has just included the transaction. */
const MAX_REFUSALS = 3;

/** Throws Failure if the transaction of the deterministic deployer has too little gas on that chain. Its coins would be lost. */
export async function demandEnoughGas(send: JsonRpc): Promise<void> {
  const [answer] = await send([rpc.estimateGas({ data: INIT_CODE })]);
  const gas = rpc.quantityOf(answer);
  if (gas > GAS)
    throw new Failure(
      `the transaction of the deterministic deployer has ${GAS} gas, and its creation takes ${gas} there: ${OTHER_FACTORY}`,
    );
}

/** Throws Failure if the nodes refuse the transaction for another reason than missing funds. Coins sent before that would be lost. */
export async function demandAcceptable(send: JsonRpc): Promise<void> {
  const [only] = await broadcast({ rpc: send }, [{ signed: TRANSACTION }]);
  const result = only?.[1];
  if (result?.type === 'not-now' && result.code !== 'no-funds') throw refused(result.detail);
}

/**
 * Sends the transaction until it is final. A repeated call sends the same bytes, of which a chain includes one copy. Throws Failure
 * if the nodes refuse them: some chains demand a chain id in each signature, or more gas.
 */
export async function bringDeployer(
  send: JsonRpc,
  network: EthereumNetwork,
  tell: (line: string) => void,
): Promise<void> {
  tell(`${network.network}: sends ${TRANSACTION.identifier}, which creates the deterministic deployer`);
  for (let refusals = 0; ; ) {
    try {
      const progress = await trackTransaction({ send, network }, DEPLOYER_ACCOUNT, TRANSACTION);
      if (progress === 'final') return;
      if (progress === 'failed' || progress === 'reverted' || progress === 'lost')
        throw new Failure(`the transaction of the deterministic deployer had no effect: ${OTHER_FACTORY}`);
      const refusal =
        progress === 'included' ? undefined : refusalIn(await broadcast({ rpc: send }, [{ signed: TRANSACTION }]));
      refusals = refusal === undefined ? 0 : refusals + 1;
      if (refusals === MAX_REFUSALS) throw refused(refusal);
    } catch (fault) {
      if (!(fault instanceof RpcFault)) throw fault;
      tell(`${network.network}: the nodes do not answer (${nodeErrorIn(fault)}); tries again`);
    }
    await sleep(Math.min(Math.max(network.blockMs, 200), 5_000));
  }
}

const refused = (reason: string | undefined) =>
  new Failure(`the nodes refuse the transaction of the deterministic deployer (${reason}): ${OTHER_FACTORY}`);

const OTHER_FACTORY =
  'name another deterministic factory with --factory ADDRESS, which changes the address of the contract';
