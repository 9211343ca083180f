/** Names of the Worker's secrets: they are set with wrangler, and never stand in `wrangler.toml`. */
export const SECRET_NAMES = ['ETHEREUM_GATEKEEPER_KEY', 'SOLANA_GATEKEEPER_KEY', 'RPC_ENDPOINTS'] as const;
