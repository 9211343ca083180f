import { createLocalJWKSet } from 'jose';
import { expect, it } from 'vitest';
import { remoteKeySet } from '../../../src/auth/key-set.ts';
import { verifyToken } from '../../../src/auth/verify-token.ts';
import { anEndpoint } from './an-endpoint.ts';
import { anIssuer, NOW, theClaims, theRules } from './an-issuer.ts';

/** JSON whose sender chooses its depth. A function that calls itself for each level would overflow the stack. */

const issuer = await anIssuer('ES256');
const nested = (levels: number) => '['.repeat(levels) + ']'.repeat(levels);
const keys = createLocalJWKSet(issuer.jwks);
const withField = (value: object, deep: string) => `${JSON.stringify(value).slice(0, -1)},"deep":${deep}}`;

it.each(['header', 'claims'])('a token with 2,500 levels in its %s is judged by its other parts', async (place) => {
  const header = { alg: 'ES256', kid: issuer.kid };
  const judge = async (claims: object) => {
    const parts = [header, claims].map((part, index) =>
      (index === 0) === (place === 'header') ? withField(part, nested(2_500)) : JSON.stringify(part),
    );
    const input = parts.map((part) => Buffer.from(part).toString('base64url')).join('.');
    const signature = Buffer.from(await issuer.signer(new TextEncoder().encode(input))).toString('base64url');
    return verifyToken(`Bearer ${input}.${signature}`, theRules(), keys, NOW);
  };
  expect(await judge(theClaims())).toMatchObject({ clientId: 'acme' });
  expect(await judge(theClaims({ aud: 'another' }))).toMatchObject({ type: 'token_invalid' });
});

it('a token whose claim has 2,500 levels in the place of a name or of scopes gives no rights', async () => {
  const deep = JSON.parse(nested(2_500));
  const judge = async (claims: object) =>
    verifyToken(`Bearer ${await issuer.sign(theClaims(claims as never))}`, theRules(), keys, NOW);
  expect(await judge({ client_id: deep })).toMatchObject({ type: 'token_invalid' });
  expect(await judge({ aud: deep })).toMatchObject({ type: 'token_invalid' });
  expect(await judge({ iss: deep })).toMatchObject({ type: 'token_invalid' });
  const bearer = await judge({ scope: deep });
  expect('scopes' in bearer ? bearer.scopes : []).toEqual([]);
});

it('a key set with 60,000 levels is a failed fetch, and the last keys continue to serve', async () => {
  const faults: unknown[] = [];
  const served = await anEndpoint({ body: JSON.stringify(issuer.jwks) });
  const find = remoteKeySet(served.url, (fault) => void faults.push(fault));
  const known = await find({ alg: 'ES256', kid: issuer.kid }, { payload: '', signature: '' });
  expect(known).toMatchObject({ type: 'public' });
  for (const body of [
    withField(issuer.jwks, nested(60_000)),
    `{"keys":[{"kid":"a","kty":"EC","x":${nested(60_000)}}]}`,
  ]) {
    const deep = await anEndpoint({ body });
    const broken = remoteKeySet(deep.url, (fault) => void faults.push(fault));
    const asked = broken({ alg: 'ES256', kid: 'other' }, { payload: '', signature: '' });
    await expect(asked).rejects.toThrow(/cannot be looked up/);
  }
  expect(faults.every((fault) => fault instanceof Error)).toBe(true);
});
