import { LocalDatabase } from '../ops/local-database.ts';

/** A pass in the read model, without a token on chain. */
export interface SeededPass {
  readonly wallet: string;
  readonly state?: string;
  readonly onChainState?: string;
  /** The expiry (Unix seconds). */
  readonly expires?: number;
  readonly reference?: string;
}

/** Returns a wallet of digits only, which has the same form with a checksum. */
export const seededWallet = (index: number) => `0x7${String(index + 1).padStart(39, '0')}`;

/**
 * Writes passes of the partner acme on sepolia into the database of a state folder, the oldest first, while no Worker runs. They are
 * older than every pass that the service issues.
 */
export function seedPasses(folder: string, passes: readonly SeededPass[]): void {
  new LocalDatabase(folder).use((db) => {
    const partner = db.prepare("SELECT gatekeeper_network AS key FROM partners WHERE client_id LIKE '%acme%'").get();
    const gatekeeperNetwork = String(partner?.key);
    const insert = db.prepare(
      `INSERT INTO passes (gatekeeper_network, id, wallet, chain, network, state, on_chain_state, valid_until, version, record, reference)
       VALUES (?, ?, ?, 'ethereum', 'sepolia', ?, ?, ?, 1, ?, ?)`,
    );
    db.exec('BEGIN');
    for (const [index, { wallet, state = 'ACTIVE', onChainState = state, expires, reference }] of passes.entries()) {
      const id = `01900000-0000-7000-8000-${index.toString(16).padStart(12, '0')}`;
      const record = {
        ...{ id, chain: { type: 'ethereum', network: 'sepolia' }, gatekeeperNetwork, walletAddress: wallet },
        events: [{ eventType: 'TOKEN_ISSUED', timestamp: 1_750_000_000 + index }],
        ...{ onChainState, state, contract: '0xA0d8b83d512cc74690DE0a57D156eddfB42752B4' },
        ...(expires !== undefined && { expiryTimestamp: expires }),
        ...(reference !== undefined && { reference }),
      };
      insert.run(
        gatekeeperNetwork,
        id,
        wallet,
        state,
        onChainState,
        expires ?? null,
        JSON.stringify(record),
        reference ?? null,
      );
    }
    db.exec('COMMIT');
  });
}
