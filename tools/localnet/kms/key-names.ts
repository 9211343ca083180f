export type Vendor = 'aws' | 'gcp';
export type Curve = 'secp256k1' | 'ed25519';

export const AWS_REGION = 'eu-central-1';

const GCP_KEY_RING = 'projects/gatepass-localnet/locations/europe-west3/keyRings/gatekeepers';

/** The names of the keys: one of each curve at each vendor. */
export const KEY_NAMES = {
  aws: {
    secp256k1: `arn:aws:kms:${AWS_REGION}:111122223333:key/4b0e7c52-8f0d-4a7e-9d36-0d1f6f6f0a01`,
    ed25519: `arn:aws:kms:${AWS_REGION}:111122223333:key/9a3c1de4-5b6f-4c2a-8e17-2c9b7d5e0a02`,
  },
  gcp: {
    secp256k1: `${GCP_KEY_RING}/cryptoKeys/ethereum/cryptoKeyVersions/1`,
    ed25519: `${GCP_KEY_RING}/cryptoKeys/solana/cryptoKeyVersions/1`,
  },
} as const satisfies Record<Vendor, Record<Curve, string>>;
