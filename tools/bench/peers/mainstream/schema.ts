/** The tables of schema.sql for Drizzle. */
import { relations } from 'drizzle-orm';
import { index, integer, sqliteTable, text, uniqueIndex } from 'drizzle-orm/sqlite-core';

export const partners = sqliteTable('partners', {
  clientId: text('client_id').primaryKey(),
  name: text('name').notNull(),
  gatekeeperNetwork: text('gatekeeper_network').notNull(),
  status: text('status', { enum: ['active', 'suspended'] }).notNull(),
});

export const passes = sqliteTable(
  'passes',
  {
    id: text('id').primaryKey(),
    gatekeeperNetwork: text('gatekeeper_network').notNull(),
    chain: text('chain').notNull(),
    network: text('network').notNull(),
    walletAddress: text('wallet_address').notNull(),
    state: text('state').notNull(),
    onChainState: text('on_chain_state').notNull(),
    expiryTimestamp: integer('expiry_timestamp'),
  },
  (table) => [
    uniqueIndex('passes_by_wallet').on(table.gatekeeperNetwork, table.walletAddress, table.chain, table.network),
    index('passes_by_id').on(table.gatekeeperNetwork, table.id),
    index('passes_by_state').on(table.gatekeeperNetwork, table.state, table.id),
  ],
);

export const transactions = sqliteTable('transactions', {
  identifier: text('identifier').primaryKey(),
  status: text('status', { enum: ['sent', 'confirmed', 'failed'] }).notNull(),
});

export const events = sqliteTable(
  'events',
  {
    id: integer('id').primaryKey({ autoIncrement: true }),
    passId: text('pass_id')
      .notNull()
      .references(() => passes.id),
    eventType: text('event_type').notNull(),
    timestamp: integer('timestamp').notNull(),
    transactionIdentifier: text('transaction_identifier').references(() => transactions.identifier),
  },
  (table) => [index('events_by_pass').on(table.passId)],
);

export const passRelations = relations(passes, ({ many }) => ({ events: many(events) }));

export const eventRelations = relations(events, ({ one }) => ({
  pass: one(passes, { fields: [events.passId], references: [passes.id] }),
  transaction: one(transactions, {
    fields: [events.transactionIdentifier],
    references: [transactions.identifier],
  }),
}));
