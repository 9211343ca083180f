import type { Address } from '@solana/kit';
import fc from 'fast-check';
import type { Hex } from 'viem';
import { callData, createNetworkData, REVOKED } from '../ethereum/gateway-contract.ts';
import { AUTHORITY, CONTRACTS, contractOf, gatekeeperOf, OTHER_GATEKEEPER, slotIn } from '../world/gatekeepers.ts';
import { clientAt } from '../world/identities.ts';
import { type ChainNetwork, WALLETS } from '../world/networks.ts';
import type { World } from '../world/world.ts';
import { client, type Kinds, kind, nameOf, network, wallet } from './kind.ts';

/** The changes on chain by other gatekeepers, by strangers and by authorities. */

const STRANGER: Hex = `0x${'57'.repeat(20)}`;
/** A slot that only strangers use. */
const STRANGERS_SLOT = 7_000n;

type Change = 'freeze' | 'unfreeze' | 'revoke' | 'burn';

/** Changes the token of a wallet as another gatekeeper of the same gatekeeper network. @param version The transaction's on Solana. */
function changeByOther(world: World, on: ChainNetwork, who: number, index: number, change: Change, version?: 1): void {
  const { gatekeeperNetwork } = clientAt(who);
  const owner = world.admissions.walletIn(gatekeeperNetwork, on, index);
  world.incidents.noteOthers({ gatekeeperNetwork, network: on, wallet: owner });
  if (on === 'devnet') {
    const call = { kind: change, wallet: owner as Address, network: gatekeeperNetwork as unknown as Address };
    world.chains.devnet.byOthers(OTHER_GATEKEEPER.solana as Address, [call], version);
    return;
  }
  const contract = contractOf(gatekeeperNetwork);
  const [token] = world.chains.sepolia.tokensOf(contract, slotIn(gatekeeperNetwork), owner as Hex);
  if (token === undefined) return;
  const call = (data: Hex) => world.chains.sepolia.byOthers(OTHER_GATEKEEPER.ethereum, contract, data);
  call(callData(change, token.id));
  const isSlim = world.chains.sepolia.gatewayAt(contract)?.build === 'slim';
  // The later token has the same id. A pass that its partner has revoked would not follow it.
  if (change === 'burn' && isSlim && index === 0 && token.state !== REVOKED)
    call(callData('mint', owner as Hex, slotIn(gatekeeperNetwork), token.expiration));
}

export const OTHERS_STEPS: Kinds = {
  others: kind(
    { weight: 5, late: 6 },
    [network, client, wallet, fc.constantFrom('freeze', 'unfreeze', 'revoke', 'burn')],
    (on, who, index, change) =>
      `another gatekeeper changes the token of wallet ${index} of ${nameOf(who)} on ${on}: ${change}`,
    (world, on, who, index, change) => changeByOther(world, on, who, index, change as Change),
  ),
  'others in version 1': kind(
    { weight: 1, late: 2, on: 'devnet' },
    [client, wallet, fc.constantFrom('freeze', 'revoke')],
    (who, index, change) =>
      `another gatekeeper changes the token of wallet ${index} of ${nameOf(who)} on devnet in a transaction of version 1: ${change}`,
    (world, who, index, change) => changeByOther(world, 'devnet', who, index, change as Change, 1),
  ),
  stranger: kind(
    { weight: 2, late: 2, on: 'sepolia' },
    [client, fc.constantFrom('admits', 'removes', 'removes', 'counts', 'mints'), fc.constantFrom(0, 0, 1)],
    (who, deed, key) => `a stranger uses the slot of ${nameOf(who)} in the other contract: ${deed} (gatekeeper ${key})`,
    (world, who, deed, key) => {
      const { gatekeeperNetwork } = clientAt(who);
      const contract = CONTRACTS.find((each) => each !== contractOf(gatekeeperNetwork)) as Hex;
      const slot = slotIn(gatekeeperNetwork);
      const call = (data: Hex) => world.chains.sepolia.byOthers(STRANGER, contract, data);
      const add = (gatekeeper: Hex) => call(callData('addGatekeeper', gatekeeper, slot));
      const gatekeeper = gatekeeperOf(key, world.deployment.hasKms);
      // Its second creation fails.
      call(createNetworkData(slot));
      const deeds = {
        admits: () => add(gatekeeper),
        removes() {
          call(callData('setNetworkFeatures', slot, true));
          add(gatekeeper);
          call(callData('removeGatekeeper', gatekeeper, slot));
        },
        counts: () => call(callData('setNetworkFeatures', slot, false)),
        mints() {
          add(STRANGER);
          call(callData('mint', WALLETS.sepolia[0] as Hex, slot));
        },
      };
      deeds[deed as 'admits']();
    },
  ),
  'stranger lives': kind(
    { weight: 3, late: 5, on: 'sepolia' },
    [client],
    (who) =>
      `a stranger mints, freezes or burns the token in a gatekeeper network of its own in the contract of ${nameOf(who)}`,
    (world, who) => {
      const contract = contractOf(clientAt(who).gatekeeperNetwork);
      const { sepolia } = world.chains;
      const owner = WALLETS.sepolia[0] as Hex;
      const [token] = sepolia.tokensOf(contract, STRANGERS_SLOT, owner);
      const call = (data: Hex) => sepolia.byOthers(STRANGER, contract, data);
      if (token !== undefined) return call(callData(token.state === 0 ? 'freeze' : 'burn', token.id));
      call(createNetworkData(STRANGERS_SLOT));
      call(callData('addGatekeeper', STRANGER, STRANGERS_SLOT));
      return call(callData('mint', owner, STRANGERS_SLOT));
    },
  ),
  role: kind(
    { weight: 2, late: 6, on: 'sepolia' },
    [client, fc.constantFrom(0, 0, 0, 1), fc.constantFrom(0, 0, 0, 1)],
    (who, key, isAdmitted) => `the authority of ${nameOf(who)} ${isAdmitted ? 'admits' : 'removes'} gatekeeper ${key}`,
    (world, who, key, isAdmitted) => {
      const { gatekeeperNetwork } = clientAt(who);
      const slot = slotIn(gatekeeperNetwork);
      const data = callData(
        isAdmitted ? 'addGatekeeper' : 'removeGatekeeper',
        gatekeeperOf(key, world.deployment.hasKms),
        slot,
      );
      world.chains.sepolia.byOthers(AUTHORITY, contractOf(gatekeeperNetwork), data);
      world.incidents.rolesChanged = true;
    },
  ),
  voiding: kind(
    { weight: 2, late: 6, on: 'sepolia' },
    [client, fc.constantFrom(0, 1, 1, 1)],
    (who, isOn) => `the tokens of gatekeepers that ${nameOf(who)} has removed ${isOn ? 'are void' : 'count'}`,
    (world, who, isOn) => {
      const { gatekeeperNetwork } = clientAt(who);
      const data = callData('setNetworkFeatures', slotIn(gatekeeperNetwork), isOn);
      world.incidents.voidings.push(world.now);
      world.chains.sepolia.byOthers(AUTHORITY, contractOf(gatekeeperNetwork), data);
      world.incidents.rolesChanged = true;
    },
  ),
};
