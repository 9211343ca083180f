import { AccountRole, type Address, type Instruction } from '@solana/kit';
import { jsonRpc } from '../../src/chain/json-rpc.ts';
import type { SigningKey } from '../../src/chain/signing/signing-key.ts';
import { gatekeeperAccount } from '../../src/chain/solana/gateway.ts';
import { readConditions } from '../../src/chain/solana/network-conditions.ts';
import { identityOf, readAccounts, readStatuses, solanaRpc } from '../../src/chain/solana/rpc.ts';
import { broadcast, signWith, transactionOf } from '../../src/chain/solana/transaction.ts';
import type { SolanaNetwork } from '../../src/network/network.ts';
import type { GatekeeperNetwork } from '../../src/network/slot.ts';
import { Failure } from '../../terminal/failure.ts';
import { formatLamports } from '../amounts.ts';
import type { NetworkNodes } from '../nodes/open-nodes.ts';
import { type Change, describeChange, type Standing } from './change.ts';
import { findMissing, type Gateway, type Question } from './gateway.ts';
import { type Progress, refusalIn, type Sender } from './sender.ts';
import type { SignedTransaction } from './transactions-file.ts';

const SYSTEM_PROGRAM = '11111111111111111111111111111111' as Address;
const RENT_SYSVAR = 'SysvarRent111111111111111111111111111111111' as Address;

/** Tags of the program's instructions. They have no arguments. */
const ADD_GATEKEEPER = 0;
const REMOVE_GATEKEEPER = 4;
/** Limit of compute units. The program derives one address, which may take several attempts. */
const UNITS = 60_000;
/** Lamports for the one signature of a transaction. */
const SIGNATURE_FEE = 5_000n;
const MICRO = 1_000_000n;

/** Returns the gatekeeper network in the program of a Solana network. */
export function openSolanaGateway(
  { network, endpoints }: NetworkNodes & { network: SolanaNetwork },
  gatekeeperNetwork: GatekeeperNetwork,
) {
  const send = jsonRpc(endpoints, identityOf(network));
  const rpc = solanaRpc(send);
  const program = network.program as Address;
  const accountOf = (gatekeeper: string) =>
    gatekeeperAccount(program, gatekeeper as Address, gatekeeperNetwork as string as Address);

  /** The key pair itself is the gatekeeper network: it needs no creation, and has no name and no other authority. */
  async function read({ authorities, gatekeepers }: Question): Promise<Standing> {
    const addresses = gatekeepers.map(accountOf);
    const { slot, accounts } = await readAccounts(rpc, [program, ...addresses], 'confirmed');
    if (!accounts.get(program)?.executable) throw new Failure(`no program exists at ${program}`);
    return {
      exists: true,
      name: undefined,
      authorities: new Map(authorities.map((address) => [address, address === gatekeeperNetwork])),
      gatekeepers: new Map(
        gatekeepers.map((address, index) => [address, accounts.get(addresses[index] as Address)?.owner === program]),
      ),
      features: [],
      block: slot,
    };
  }

  const gateway: Gateway = {
    network: network.network,
    address: program,
    blockMs: network.blockMs,
    describe: describeChange,
    findMissing: (changes) => findMissing({ read }, changes),
    read,
  };
  return { gateway, send, rpc, network, program, accountOf, gatekeeperNetwork: gatekeeperNetwork as string as Address };
}

type SolanaGateway = ReturnType<typeof openSolanaGateway>;

/** Returns the instruction that makes the change. */
function instructionFor(
  { program, accountOf, gatekeeperNetwork }: SolanaGateway,
  change: Change,
): Instruction & { readonly data: Uint8Array } {
  if (change.type !== 'add-gatekeeper' && change.type !== 'remove-gatekeeper')
    throw new Failure(`the program on Solana cannot ${describeChange(change)}`);
  const isAdded = change.type === 'add-gatekeeper';
  return {
    programAddress: program,
    accounts: [
      { address: gatekeeperNetwork, role: AccountRole.WRITABLE_SIGNER },
      { address: accountOf(change.address), role: AccountRole.WRITABLE },
      { address: change.address as Address, role: AccountRole.READONLY },
      { address: gatekeeperNetwork, role: AccountRole.READONLY_SIGNER },
      ...(isAdded
        ? [
            { address: RENT_SYSVAR, role: AccountRole.READONLY },
            { address: SYSTEM_PROGRAM, role: AccountRole.READONLY },
          ]
        : []),
    ],
    data: Uint8Array.of(isAdded ? ADD_GATEKEEPER : REMOVE_GATEKEEPER),
  };
}

/** Returns the sender for the key pair of the gatekeeper network. It signs, and pays for fees and rent. */
export function createSolanaSender(opened: SolanaGateway, key: SigningKey): Sender<Change> {
  const { send, rpc, network, gatekeeperNetwork } = opened;
  const readMarket = () => readConditions({ rpc, network, gatekeeper: gatekeeperNetwork });
  return {
    account: gatekeeperNetwork,
    async estimate(changes) {
      const { unitPrice, emptyRent } = await readMarket();
      const fee = SIGNATURE_FEE + (BigInt(UNITS) * unitPrice) / MICRO;
      return changes.map(({ type }) => (type === 'add-gatekeeper' ? fee + BigInt(emptyRent.shown) : fee));
    },
    async readFunds() {
      const { funds } = await readMarket();
      return funds > 0n ? funds : 0n;
    },
    formatAmount: formatLamports,
    async sign(change) {
      const instruction = instructionFor(opened, change);
      const { unitPrice, lifetime } = await readMarket();
      const unsigned = transactionOf(instruction, gatekeeperNetwork, { unitPrice, lifetime }, UNITS);
      return {
        ...(await signWith(key, unsigned)),
        lastValidBlockHeight: Number(lifetime.lastValidBlockHeight),
      };
    },
    broadcast: async (signed) => refusalIn(await broadcast({ send }, [{ signed }])),
    track: (transaction) => trackTransaction(opened, transaction),
  };
}

async function trackTransaction(
  { rpc }: SolanaGateway,
  { identifier, lastValidBlockHeight = 0 }: SignedTransaction,
): Promise<Progress> {
  // The height comes first: a status that is read later knows every block up to it.
  const height = await rpc.getBlockHeight({ commitment: 'finalized' }).send();
  const { statuses } = await readStatuses(rpc, [identifier], true);
  const status = statuses.get(identifier);
  if (status === undefined) return height > lastValidBlockHeight ? 'lost' : 'pending';
  if (status.confirmationStatus === 'processed') return 'pending';
  const isFinal = status.confirmationStatus === 'finalized';
  if (status.err !== null) return isFinal ? 'failed' : 'reverted';
  return isFinal ? 'final' : 'included';
}
