import { type Address, parseAbi } from 'viem';
import type { BuildName } from '../../../../ops/network/gateway-build.ts';
import { type ContractChain, type Fate, OTHER, OURS, useContractChain, walletOf } from './contract-chain.ts';
import { NO_CHARGE } from './slim-gateway.ts';

/** Wallets in every state of a pass, on a chain whose newest block has the second in which one of them expires. */

const DAY = 86_400;
const VERIFY = parseAbi(['function verifyToken(address wallet, uint256 network) view returns (bool)']);

interface State {
  readonly isValid: boolean;
  /** Undefined: the wallet gets no pass, or not as the others do. */
  readonly pass?: { readonly fate?: Fate; readonly network?: bigint; readonly expires?: number };
}

const STATES: Readonly<Record<string, State>> = {
  'without a pass': { isValid: false },
  'with an active pass': { isValid: true, pass: {} },
  'with a pass that expires in this second': { isValid: true, pass: { expires: 0 } },
  'with an expired pass': { isValid: false, pass: { expires: -1 } },
  'with a frozen pass': { isValid: false, pass: { fate: 'frozen' } },
  'with a revoked pass': { isValid: false, pass: { fate: 'revoked' } },
  'with a burned token': { isValid: false, pass: { fate: 'burned' } },
  'with a pass of another gatekeeper network': { isValid: false, pass: { network: OTHER } },
  'with a pass that is void, because its gatekeeper was removed': { isValid: false },
};

export const WALLETS = Object.entries(STATES).map(([state, { isValid }], index) => {
  return { state, isValid, wallet: walletOf(200 + index) };
});
export const walletWith = (state: string): Address =>
  WALLETS.find((each) => each.state.startsWith(state))?.wallet as Address;
/** A second wallet with an active pass. */
export const SECOND_HOLDER = walletOf(300);

/** Runs a chain whose wallets have the states. `prepare` runs before the passes expire. */
export function usePassStates(build: BuildName, prepare: (chain: ContractChain) => Promise<void>) {
  return useContractChain(async (chain) => {
    const moment = (await chain.time()) + DAY;
    await chain.issue([
      ...Object.entries(STATES).flatMap(([state, { pass }]) => {
        if (pass === undefined) return [];
        const { expires, ...rest } = pass;
        const expiration = expires === undefined ? 0n : BigInt(moment + expires);
        return [{ ...rest, wallet: walletWith(state), expiration }];
      }),
      { wallet: SECOND_HOLDER },
    ]);
    await voidPass(chain, walletWith('with a pass that is void'));
    await prepare(chain);
    await chain.moveTo(moment);
  }, build);
}

/** Issues a pass by a gatekeeper that the authority then removes, in a network whose features void such passes. */
async function voidPass(chain: ContractChain, wallet: Address): Promise<void> {
  const gatekeeper = walletOf(301);
  const { gateway } = chain;
  await chain.send(gateway, 'setNetworkFeatures', OURS, 1n);
  await chain.send(gateway, 'addGatekeeper', gatekeeper, OURS);
  await chain.sendAs(gatekeeper, gateway, 'mint', wallet, OURS, 0n, 0n, NO_CHARGE);
  const isValid = await chain.read({ ...gateway, abi: VERIFY }, 'verifyToken', wallet, OURS);
  if (isValid !== true) throw new Error('the pass is not valid before the gatekeeper is removed');
  await chain.send(gateway, 'removeGatekeeper', gatekeeper, OURS);
}
