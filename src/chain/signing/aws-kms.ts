import { base64 } from '@scure/base';
import { AwsV4Signer } from 'aws4fetch';
import type { KmsKey } from '../../config/kms.ts';
import type { Chain } from '../../network/network.ts';
import { KmsFault } from '../port.ts';
import { askKms, bytesOf, type KmsAnswer, textOf } from './ask-kms.ts';
import type { KmsClient } from './kms-client.ts';

/** The algorithm of each kind of key, and whether the KMS gets a digest. */
const ALGORITHMS: Readonly<Record<Chain, { readonly SigningAlgorithm: string; readonly MessageType: string }>> = {
  ethereum: { SigningAlgorithm: 'ECDSA_SHA_256', MessageType: 'DIGEST' },
  solana: { SigningAlgorithm: 'ED25519_SHA_512', MessageType: 'RAW' },
};

/** Returns the client of a key in AWS KMS. */
export function awsKms({ name, region, credentials }: Extract<KmsKey, { vendor: 'aws-kms' }>, chain: Chain): KmsClient {
  /** The key that signs requests depends on the day only, so aws4fetch keeps it here. */
  const cache = new Map<string, ArrayBuffer>();

  async function ask(action: string, fields: object): Promise<KmsAnswer> {
    const { endpoint = `https://kms.${region}.amazonaws.com`, sessionToken, ...pair } = credentials();
    const keys = { ...pair, ...(sessionToken && { sessionToken }) };
    const body = JSON.stringify({ KeyId: name, ...fields });
    const signer = new AwsV4Signer({
      ...keys,
      cache,
      region,
      service: 'kms',
      method: 'POST',
      url: `${endpoint}/`,
      headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': `TrentService.${action}` },
      body,
    });
    const { url, headers } = await signer.sign();
    const answer = await askKms({
      url: url.href,
      method: 'POST',
      headers,
      body,
      secrets: Object.values(keys).join('\n'),
      errorIn: ({ __type, message, Message }) => ({
        code: textOf(__type).replace(/^.*#/, ''),
        text: textOf(message ?? Message),
      }),
    });
    if (answer.KeyId !== name) throw new KmsFault('kms-wrong-answer', 'it answers for another key');
    return answer;
  }

  return {
    async sign(bytes) {
      const algorithm = ALGORITHMS[chain];
      const answer = await ask('Sign', { ...algorithm, Message: base64.encode(bytes) });
      return bytesOf(answer.Signature);
    },
    publicKey: async () => bytesOf((await ask('GetPublicKey', {})).PublicKey),
  };
}
