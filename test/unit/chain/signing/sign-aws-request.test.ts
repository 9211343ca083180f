import { AwsV4Signer } from 'aws4fetch';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { signAwsRequest } from '../../../../src/chain/signing/aws-kms.ts';

const KEYS = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' };
const REQUEST = {
  url: new URL('https://kms.eu-west-1.amazonaws.com/'),
  region: 'eu-west-1',
  target: 'TrentService.Sign',
  body: '{"KeyId":"a"}',
};
const NOW_MS = Date.UTC(2026, 0, 2, 3, 4, 5, 678);

type Keys = Parameters<typeof signAwsRequest>[1];

/** Returns the headers of aws4fetch for the same request. */
async function headersOfAws4fetch({ url, region, target, body }: typeof REQUEST, keys: Keys, nowMs: number) {
  const signer = new AwsV4Signer({
    accessKeyId: keys.accessKeyId,
    secretAccessKey: keys.secretAccessKey,
    ...(keys.sessionToken !== undefined && { sessionToken: keys.sessionToken }),
    region,
    service: 'kms',
    method: 'POST',
    url: url.href,
    datetime: new Date(nowMs).toISOString().replace(/[:-]|\.\d{3}/g, ''),
    headers: { 'content-type': 'application/x-amz-json-1.1', 'x-amz-target': target },
    body,
  });
  return Object.fromEntries((await signer.sign()).headers);
}

describe('signAwsRequest', () => {
  it('signs random requests as aws4fetch does', async () => {
    const visible = fc.string({ unit: fc.constantFrom(...'aZ09+/=_-.!~'), minLength: 1, maxLength: 60 });
    const path = fc.string({ unit: fc.constantFrom(..."ab/%(')*!~.+ =@é:;&$,"), maxLength: 20 });
    const request = fc.record({
      region: fc.constantFrom('eu-west-1', 'us-gov-east-1'),
      host: fc.constantFrom(
        'https://kms.eu-west-1.amazonaws.com',
        'http://127.0.0.1:8080',
        'https://proxy.example:443',
      ),
      path,
      target: fc.constantFrom('TrentService.Sign', 'TrentService.GetPublicKey'),
      body: fc.string({ unit: 'grapheme', maxLength: 200 }),
      accessKeyId: visible,
      secretAccessKey: visible,
      sessionToken: fc.option(visible, { nil: undefined }),
      nowMs: fc.integer({ min: 0, max: Date.UTC(2100, 0) }),
    });
    await fc.assert(
      fc.asyncProperty(request, async ({ region, host, path: below, target, body, nowMs, ...keys }) => {
        const asked = { url: new URL(`${host}/${below}/`), region, target, body };
        expect(signAwsRequest(asked, keys, nowMs)).toEqual(await headersOfAws4fetch(asked, keys, nowMs));
      }),
      { seed: 1, numRuns: 500 },
    );
  });

  it.each`
    what                   | request                                  | keys                        | nowMs
    ${'the body'}          | ${{ body: '{"KeyId":"b"}' }}             | ${{}}                       | ${NOW_MS}
    ${'the action'}        | ${{ target: 'TrentService.Encrypt' }}    | ${{}}                       | ${NOW_MS}
    ${'the region'}        | ${{ region: 'eu-west-2' }}               | ${{}}                       | ${NOW_MS}
    ${'the host'}          | ${{ url: new URL('https://a.example') }} | ${{}}                       | ${NOW_MS}
    ${'the secret'}        | ${{}}                                    | ${{ secretAccessKey: 'x' }} | ${NOW_MS}
    ${'the session token'} | ${{}}                                    | ${{ sessionToken: 'x' }}    | ${NOW_MS}
    ${'the second'}        | ${{}}                                    | ${{}}                       | ${NOW_MS + 1_000}
  `('has another signature if $what differs', ({ request, keys, nowMs }) => {
    const signature = (headers: Readonly<Record<string, string>>) => headers.authorization?.split('Signature=')[1];
    const usual = signature(signAwsRequest(REQUEST, KEYS, NOW_MS));
    expect(usual).toMatch(/^[0-9a-f]{64}$/);
    expect(signature(signAwsRequest({ ...REQUEST, ...request }, { ...KEYS, ...keys }, nowMs))).not.toBe(usual);
  });
});
