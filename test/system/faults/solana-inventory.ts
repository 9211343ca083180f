import { getGatewayTokenAddressForOwnerAndGatekeeperNetwork } from '@identity.com/solana-gateway-ts';
import { Connection, PublicKey, VersionedTransaction } from '@solana/web3.js';
import { TRANSACTION_VERSION_MAX } from '../../../src/chain/solana/wire-transaction.ts';
import type { LocalnetFacts } from '../../../tools/localnet/state/localnet-facts.ts';
import { callNode } from '../../call-node.ts';
import type { ChainInventory } from './chain-inventory.ts';

/** The indexes from which the possible token addresses of a wallet derive. */
const TOKEN_INDEXES = [0, 1, 2, 3, 4];
/** The first byte of the program's instruction that issues a token. */
const ISSUE = 1;

/** Returns an inventory that reads the accounts of a wallet's tokens, and the transactions that name one of them. */
export async function readSolanaInventory(facts: LocalnetFacts, network: string): Promise<ChainInventory> {
  const url = facts.rpc[network] ?? '';
  const program = facts.gatewayToken[network] ?? '';
  const connection = new Connection(url, 'confirmed');
  const addressesOf = (wallet: string, gatekeeperNetwork: string) =>
    TOKEN_INDEXES.map((index) =>
      getGatewayTokenAddressForOwnerAndGatekeeperNetwork(
        new PublicKey(wallet),
        new PublicKey(gatekeeperNetwork),
        index,
      ),
    );

  const isIssue = async (signature: string) => {
    const options = {
      commitment: 'confirmed',
      encoding: 'base64',
      maxSupportedTransactionVersion: TRANSACTION_VERSION_MAX,
    };
    const found = await callNode<{ transaction: [string, string] }>(url, 'getTransaction', [signature, options]);
    const { message } = VersionedTransaction.deserialize(Buffer.from(found.transaction[0], 'base64'));
    const keys = message.getAccountKeys();
    return message.compiledInstructions.some(
      ({ programIdIndex, data }) => keys.get(programIdIndex)?.toBase58() === program && data[0] === ISSUE,
    );
  };

  return {
    async countTokens(wallet, gatekeeperNetwork) {
      const accounts = await connection.getMultipleAccountsInfo(addressesOf(wallet, gatekeeperNetwork));
      return accounts.filter((account) => account?.owner.toBase58() === program).length;
    },
    async transactionsAbout(wallet, gatekeeperNetwork) {
      const found = await Promise.all(
        addressesOf(wallet, gatekeeperNetwork).map((address) =>
          connection.getSignaturesForAddress(address, {}, 'confirmed'),
        ),
      );
      const all = found.flat().flatMap(({ signature, err }) => (err === null ? [signature] : []));
      const issues = await Promise.all(all.map(isIssue));
      return { all, mints: all.filter((_, index) => issues[index]) };
    },
  };
}
