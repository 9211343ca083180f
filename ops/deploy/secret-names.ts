/** Names of the Worker's secrets. The operator sets them with wrangler, never as variables. */
export const SECRET_NAMES = [
  'ETHEREUM_GATEKEEPER_KEY',
  'SOLANA_GATEKEEPER_KEY',
  'KMS_CREDENTIALS',
  'RPC_ENDPOINTS',
] as const;
