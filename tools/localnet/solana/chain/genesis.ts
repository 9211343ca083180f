import { base58 } from '@scure/base';
import { type Address, address, getProgramDerivedAddress } from '@solana/kit';
import { KMS_GATEKEEPERS } from '../../kms/gatekeepers.ts';
import { GATEKEEPER_NETWORKS } from '../../oauth/partners.ts';
import { SOLANA_GATEKEEPERS } from '../gatekeepers.ts';
import { COMPUTE_BUDGET_PROGRAM } from '../runtime/compute-budget.ts';
import { GATEWAY_PROGRAM, gatekeeperAccountOf } from '../runtime/gateway-addresses.ts';
import { rentExemptMinimum } from '../runtime/rent.ts';
import type { Account } from '../runtime/runtime.ts';
import { SYSTEM_PROGRAM } from '../runtime/system-program.ts';

const NATIVE_LOADER = address('NativeLoader1111111111111111111111111111111');
const UPGRADEABLE_LOADER = address('BPFLoaderUpgradeab1e11111111111111111111111');

/** The account that can replace the gateway program. Nobody has its key. */
export const UPGRADE_AUTHORITY = address('GTXJXnAjC8rnMvhymwE32BC9qCUFRdgqjXwwFoB3MM1x');

/** 1,000,000 SOL in lamports. */
const GATEKEEPER_LAMPORTS = 1_000_000_000_000_000n;

/**
 * Returns the accounts before the first transaction: the programs, and the gatekeepers with an account in each gatekeeper network.
 * Nobody has the keys of those networks, so no instruction could create these accounts.
 */
export async function genesisAccounts(): Promise<ReadonlyMap<Address, Account>> {
  const networks = GATEKEEPER_NETWORKS.map((network) => address(network));
  const gatekeepers = [...SOLANA_GATEKEEPERS, ...Object.values(KMS_GATEKEEPERS.solana)].map((each) => address(each));
  return new Map([
    [SYSTEM_PROGRAM, nativeProgramAccount('system_program')],
    [COMPUTE_BUDGET_PROGRAM, nativeProgramAccount('compute_budget_program')],
    ...(await deployedProgramAccounts(GATEWAY_PROGRAM)),
    ...gatekeepers.flatMap((gatekeeper): [Address, Account][] => [
      [gatekeeper, emptyAccount(GATEKEEPER_LAMPORTS, SYSTEM_PROGRAM)],
      ...networks.map((network): [Address, Account] => [
        gatekeeperAccountOf(gatekeeper, network),
        emptyAccount(rentExemptMinimum(0), GATEWAY_PROGRAM),
      ]),
    ]),
  ]);
}

function emptyAccount(lamports: bigint, owner: Address): Account {
  return { lamports, data: new Uint8Array(), owner, executable: false };
}

function nativeProgramAccount(name: string): Account {
  return { lamports: 1n, data: new TextEncoder().encode(name), owner: NATIVE_LOADER, executable: true };
}

/**
 * Returns the accounts of a deployed program: one names the other, which has the slot of the deployment, the upgrade authority and
 * the code. No call reads the code, so it is absent.
 */
async function deployedProgramAccounts(of: Address): Promise<[Address, Account][]> {
  const seeds = [base58.decode(of)];
  const [code] = await getProgramDerivedAddress({ programAddress: UPGRADEABLE_LOADER, seeds });
  const account = (data: Uint8Array, executable: boolean): Account => ({
    lamports: rentExemptMinimum(data.length),
    data,
    owner: UPGRADEABLE_LOADER,
    executable,
  });
  const slot = new Uint8Array(8);
  return [
    [of, account(new Uint8Array([2, 0, 0, 0, ...base58.decode(code)]), true)],
    [code, account(new Uint8Array([3, 0, 0, 0, ...slot, 1, ...base58.decode(UPGRADE_AUTHORITY)]), false)],
  ];
}
