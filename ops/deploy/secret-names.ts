/** Names of the Worker's secrets. The operator sets them with wrangler, never as variables. */
export const SECRET_NAMES = [
  'ETHEREUM_GATEKEEPER_KEY',
  'SOLANA_GATEKEEPER_KEY',
  'VERDICT_KEY',
  'KMS_CREDENTIALS',
  'RPC_ENDPOINTS',
] as const;

/**
 * Secrets that a command alone sets: `npm run verdict` the list of verdict keys, and `npm run emergency` the others. A file of secrets
 * must not have them: an older copy would bring back a leaked key.
 */
export const EMERGENCY_SECRETS = [
  'COMPROMISED_GATEKEEPERS',
  'SUSPENDED_CLIENTS',
  'EMERGENCY_NUMBER',
  'VERDICT_KEYS',
] as const;

export type EmergencySecret = (typeof EMERGENCY_SECRETS)[number];

export const isEmergencySecret = (name: string): name is EmergencySecret =>
  (EMERGENCY_SECRETS as readonly string[]).includes(name);
