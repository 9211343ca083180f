import type { Address } from '@solana/kit';
import { jsonRpc } from '../../src/chain/json-rpc.ts';
import { gatekeeperAccount } from '../../src/chain/solana/gateway.ts';
import { readConditions } from '../../src/chain/solana/network-conditions.ts';
import {
  CLOCK_SYSVAR,
  identityOf,
  newestBlockOf,
  readAccounts,
  readStatuses,
  solanaRpc,
} from '../../src/chain/solana/rpc.ts';
import type { Config } from '../../src/config/config.ts';
import type { SolanaNetwork } from '../../src/network/network.ts';
import { formatLamports } from '../amounts.ts';
import type { ChainDoctor } from './chain-doctor.ts';
import { fail, ok } from './check.ts';
import { solanaFacts } from './solana-facts.ts';

/** 64 zero bytes, which no transaction has as its signature. */
const UNUSED_SIGNATURE = '1'.repeat(64);

export function createSolanaDoctor(network: SolanaNetwork, { rpc: endpoints }: Config): ChainDoctor {
  const identity = identityOf(network);
  const rpc = solanaRpc(jsonRpc(endpoints[network.network] ?? [], identity));
  const program = network.program as Address;
  return {
    identity,
    async probeEndpoint({ ask }) {
      const one = solanaRpc(ask);
      const [{ accounts }] = await Promise.all([
        readAccounts(one, [CLOCK_SYSVAR], 'confirmed'),
        // The Worker reads final accounts before it changes a token.
        readAccounts(one, [program], 'finalized'),
      ]);
      return { newest: newestBlockOf(accounts.get(CLOCK_SYSVAR)).time };
    },
    async checkGateway() {
      const { accounts } = await readAccounts(rpc, [program], 'confirmed');
      if (accounts.get(program)?.executable) return ok(`the gateway program is at ${program}`);
      return fail(
        `no program exists at ${program}`,
        `set its address: NETWORKS = {"${network.network}": {"program": "…"}}`,
      );
    },
    facts: solanaFacts(rpc, program),
    async checkHistory() {
      await readStatuses(rpc, [UNUSED_SIGNATURE], true);
      return ok('an endpoint searches the history of transactions');
    },
    async readRegistrations({ gatekeeper }, gatekeeperNetworks) {
      const addresses = gatekeeperNetworks.map((each) =>
        gatekeeperAccount(program, gatekeeper.address as Address, each as Address),
      );
      const { accounts } = await readAccounts(rpc, addresses, 'confirmed');
      return addresses.map((address) => accounts.get(address)?.owner === program);
    },
    // Its key pair is all that it needs.
    exists: async () => true,
    async readFunds({ gatekeeper }) {
      const { funds } = await readConditions({ rpc, network, gatekeeper: gatekeeper.address as Address });
      return funds > 0n ? funds : 0n;
    },
    formatAmount: formatLamports,
  };
}
