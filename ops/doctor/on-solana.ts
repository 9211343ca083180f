import { generateKeyPairSync } from 'node:crypto';
import { base58 } from '@scure/base';
import type { Address } from '@solana/kit';
import { formatUnits } from 'viem/utils';
import { jsonRpc } from '../../src/chain/json-rpc.ts';
import { TOKEN_SIZE } from '../../src/chain/solana/abi.ts';
import {
  CLOCK_SYSVAR,
  identityOf,
  readAccounts,
  readStatuses,
  solanaRpc,
  timeOf,
} from '../../src/chain/solana/calls.ts';
import { gatekeeperAccount } from '../../src/chain/solana/gateway.ts';
import { feeOf } from '../../src/chain/solana/network-conditions.ts';
import type { SolanaCall } from '../../src/chain/solana/sign.ts';
import type { Config } from '../../src/config/config.ts';
import type { SolanaNetwork } from '../../src/network/networks.ts';
import { shortened } from './amount.ts';
import type { ChainDoctor } from './chain.ts';
import { ok, wrong } from './check.ts';

/** The signature of no transaction: all zeros. */
const NEVER_SIGNED = '1'.repeat(64);

export function onSolana(network: SolanaNetwork, { rpc: endpoints }: Config): ChainDoctor {
  const identity = identityOf(network);
  const rpc = solanaRpc(jsonRpc(endpoints[network.network] ?? [], identity));
  const program = network.program as Address;
  return {
    identity,
    async probe({ ask }) {
      const one = solanaRpc(ask);
      const [{ accounts }] = await Promise.all([
        readAccounts(one, [CLOCK_SYSVAR], 'confirmed'),
        // Changes are made to what is final only.
        readAccounts(one, [program], 'finalized'),
      ]);
      return { newest: timeOf(accounts[0]) };
    },
    async gateway() {
      const { accounts } = await readAccounts(rpc, [program], 'confirmed');
      if (accounts[0]?.executable) return ok(`the gateway program is at ${program}`);
      return wrong(
        `there is no program at ${program}`,
        `set its address: NETWORKS = {"${network.network}": {"program": "…"}}`,
      );
    },
    async history() {
      await readStatuses(rpc, [NEVER_SIGNED], true);
      return ok('an endpoint searches the history of transactions');
    },
    async registered({ gatekeeper }, gatekeeperNetworks) {
      const addresses = gatekeeperNetworks.map((each) =>
        gatekeeperAccount(program, gatekeeper.address as Address, each as Address),
      );
      const { accounts } = await readAccounts(rpc, addresses, 'confirmed');
      return accounts.map((account) => account?.owner === program);
    },
    registration: ({ gatekeeper }, gatekeeperNetwork) =>
      `the key of ${gatekeeperNetwork} signs the program's AddGatekeeper for ${gatekeeper.address}`,
    async funds({ gatekeeper }) {
      const [{ accounts }, own] = await Promise.all([
        readAccounts(rpc, [gatekeeper.address as Address], 'confirmed'),
        rpc.getMinimumBalanceForRentExemption(0n).send(),
      ]);
      const left = (accounts[0]?.lamports ?? 0n) - own;
      return left > 0n ? left : 0n;
    },
    async cost({ call }, terms) {
      const rent = await rpc.getMinimumBalanceForRentExemption(TOKEN_SIZE).send();
      return rent + feeOf(terms, (call as SolanaCall).units);
    },
    amount: (lamports) => `${shortened(formatUnits(lamports, 9))} SOL`,
    wallet() {
      const { publicKey } = generateKeyPairSync('ed25519');
      return base58.encode(publicKey.export({ format: 'der', type: 'spki' }).subarray(-32));
    },
  };
}
