-- A wallet has at most one pass per network: its passes are found by the primary key, and a row written costs a thousand read.
DROP INDEX passes_by_wallet;
DROP INDEX passes_by_wallet_and_state;
