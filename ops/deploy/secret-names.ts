/** Names of the Worker's secrets. The operator sets them with wrangler, never in `wrangler.toml`. */
export const SECRET_NAMES = ['ETHEREUM_GATEKEEPER_KEY', 'SOLANA_GATEKEEPER_KEY', 'RPC_ENDPOINTS'] as const;
