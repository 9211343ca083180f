import { KEY_NAMES } from './key-names.ts';

/**
 * The addresses of the keys in the KMS. They are gatekeepers on every chain of the localnet, besides the keys of its files. The Worker
 * has the first one of each chain by default, so that it uses both vendors.
 */
export const KMS_GATEKEEPERS = {
  ethereum: {
    aws: '0x80F6545D7a928A5B0BA58dFd58B9373C632ccC5F',
    gcp: '0xA94592772dBfCC0E8DF55935D1C5f078f0Dc849e',
  },
  solana: {
    gcp: 'HYUrbDv42xMix9GJJGDu28AeJevxpbnEntDsF1qYVqYQ',
    aws: 'DahMaHzByMznVMvV95mAUeUTbNCBAke3BUf7gc6AMihF',
  },
} as const;

/** The keys in the form of the Worker's variables: a reference with its address, in the same order. */
export const KMS_REFERENCES = {
  ethereum: {
    aws: `aws-kms:${KEY_NAMES.aws.secp256k1}#${KMS_GATEKEEPERS.ethereum.aws}`,
    gcp: `gcp-kms:${KEY_NAMES.gcp.secp256k1}#${KMS_GATEKEEPERS.ethereum.gcp}`,
  },
  solana: {
    gcp: `gcp-kms:${KEY_NAMES.gcp.ed25519}#${KMS_GATEKEEPERS.solana.gcp}`,
    aws: `aws-kms:${KEY_NAMES.aws.ed25519}#${KMS_GATEKEEPERS.solana.aws}`,
  },
} as const;
