import type { KmsKey } from '../../config/kms.ts';
import { encodeBase64 } from '../../lib/base64.ts';
import type { Chain } from '../../network/network.ts';
import { KmsFault } from '../port.ts';
import { askKms, bytesOf, type KmsAnswer, textOf } from './ask-kms.ts';
import type { KmsClient } from './kms-client.ts';
import { signAwsRequest } from './sign-aws-request.ts';

/** The algorithm of each kind of key, and whether the KMS gets a digest. */
const ALGORITHMS: Readonly<Record<Chain, { readonly SigningAlgorithm: string; readonly MessageType: string }>> = {
  ethereum: { SigningAlgorithm: 'ECDSA_SHA_256', MessageType: 'DIGEST' },
  solana: { SigningAlgorithm: 'ED25519_SHA_512', MessageType: 'RAW' },
};

/** Returns the client of a key in AWS KMS. */
export function awsKms({ name, region, credentials }: Extract<KmsKey, { vendor: 'aws-kms' }>, chain: Chain): KmsClient {
  async function ask(action: string, fields: object): Promise<KmsAnswer> {
    const keys = credentials();
    const url = new URL(`${keys.endpoint ?? `https://kms.${region}.amazonaws.com`}/`);
    const body = JSON.stringify({ KeyId: name, ...fields });
    const headers = signAwsRequest({ url, region, target: `TrentService.${action}`, body }, keys, Date.now());
    const answer = await askKms({
      url: url.href,
      method: 'POST',
      headers,
      body,
      secrets: [keys.accessKeyId, keys.secretAccessKey, keys.sessionToken ?? ''].join('\n'),
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
      const answer = await ask('Sign', { ...algorithm, Message: encodeBase64(bytes) });
      return bytesOf(answer.Signature);
    },
    publicKey: async () => bytesOf((await ask('GetPublicKey', {})).PublicKey),
  };
}
