import type { Config } from '../../src/config/config.ts';
import { type GatekeeperNetwork, slotOf } from '../../src/network/slot.ts';
import { Failure } from '../../terminal/failure.ts';
import type { NetworkNodes } from '../nodes/open-nodes.ts';
import type { Change } from './change.ts';
import { changesIn, openEthereumGateway } from './ethereum-gateway.ts';
import { type Call, createEthereumSender } from './ethereum-sender.ts';
import type { Gateway } from './gateway.ts';
import type { AuthorityKeys } from './key-files.ts';
import type { Sender } from './sender.ts';
import { createSolanaSender, openSolanaGateway } from './solana-gateway.ts';

/** A gatekeeper network on one network. */
export interface OpenedGateway {
  readonly gateway: Gateway;
  readonly nodes: NetworkNodes;
  /** Returns the sender for the operator's key. Throws Failure if there is no such key. */
  senderFor(keys: AuthorityKeys): Sender<Change>;
  /** Returns the call of the contract; undefined on Solana. */
  readonly callOf?: (change: Change) => Call;
}

export function openGateway(nodes: NetworkNodes, key: GatekeeperNetwork, slots: Config['slots']): OpenedGateway {
  const { network } = nodes;
  if (network.chain === 'solana') {
    const opened = openSolanaGateway({ ...nodes, network }, key);
    return {
      gateway: opened.gateway,
      nodes,
      senderFor({ solana }) {
        if (solana === undefined)
          throw new Failure(`${network.network} needs the key pair of the gatekeeper network in --authority-key-file`);
        if (solana.address !== key)
          throw new Failure(`the key pair is ${solana.address}, but ${network.network} needs that of ${key}`);
        return createSolanaSender(opened, solana);
      },
    };
  }
  const slot = slotOf(key, slots);
  if (slot === undefined) throw new Failure(`${key} has no slot on Ethereum-type networks`);
  const opened = openEthereumGateway({ ...nodes, network }, slot);
  const changes = changesIn(opened);
  return {
    gateway: opened.gateway,
    nodes,
    callOf: changes.callOf,
    senderFor({ ethereum }) {
      if (ethereum === undefined)
        throw new Failure(`${network.network} needs the hex key of an authority in --authority-key-file`);
      return createEthereumSender(changes, ethereum);
    },
  };
}
