import { importJWK, SignJWT } from 'jose';
import { afterAll, beforeAll, expect } from 'vitest';
import { startSpecialIssuer } from '../../special-issuer.ts';
import { Rehearsal } from './rehearsal.ts';
import { rehearse } from './rehearse.ts';

/** The operator has an issuer of its own, which issues tokens for any audience. */
const { issuer, stop } = await startSpecialIssuer();
const { origin } = new URL(issuer.jwksUrl);
const tokenUrl = `${origin}/token`;

let service: Rehearsal;
beforeAll(async () => {
  await issueTokensFor('https://admin.one');
  service = await Rehearsal.open({
    tokenUrl,
    variables: { ADMIN_ISSUER: origin, ADMIN_JWKS_URL: issuer.jwksUrl, ADMIN_AUDIENCE: 'https://admin.one' },
  });
});
afterAll(async () => {
  await service?.close();
  stop();
});

/** Returns a token that the token endpoint issues from now on. */
async function issueTokensFor(audience: string): Promise<string> {
  const token = await new SignJWT({ client_id: 'operator', scope: 'admin' })
    .setProtectedHeader({ alg: 'ES256', kid: 'key' })
    .setIssuer(origin)
    .setAudience(audience)
    .setIssuedAt()
    .setExpirationTime('1h')
    .sign(await importJWK(issuer.privateKey, 'ES256'));
  const body = JSON.stringify({ access_token: token, token_type: 'Bearer' });
  await fetch(tokenUrl, { method: 'PUT', body: JSON.stringify({ body }) });
  return token;
}

rehearse(
  "The operator's token or secret is stolen",
  'the commands shut the thief out, show what it did, and bring the partners back',
  async (page) => {
    const stolen = await issueTokensFor('https://admin.one');
    const asThief = (method: string, path: string, body?: object) =>
      fetch(`${service.baseUrl}${path}`, {
        method,
        headers: { authorization: `Bearer ${stolen}`, 'content-type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      });
    // The operator's export before the theft.
    expect(await service.run('npm run partner -- export partners.json --env ENV')).toMatchObject({ code: 0 });
    const mole = {
      clientId: 'mole',
      name: 'Mole',
      gatekeeperNetwork: service.partner('acme').gatekeeperNetwork,
      networks: null,
      dailyIssuances: null,
      dailyChanges: null,
    };
    expect((await asThief('POST', '/admin/partners', mole)).ok).toBe(true);
    expect((await asThief('PATCH', '/admin/partners/acme', { status: 'suspended' })).ok).toBe(true);

    await issueTokensFor('https://admin.two');
    service.edit({ ADMIN_AUDIENCE: 'https://admin.two' });
    expect(await service.run(page.next('npm run deploy'))).toMatchObject({ code: 0 });
    expect((await asThief('GET', '/admin/partners')).status).toBe(401);
    const exported = await service.run(page.next('npm run audit -- export'));
    expect(exported.code, exported.printed).toBe(0);
    const trail = service.read('trail.jsonl');
    expect(trail).toContain('mole');
    const listed = await service.run(page.next('npm run partner -- list'));
    expect(listed.printed).toMatch(/acme .*suspended/);
    expect(listed.printed).toContain('mole');
    const suspended = await service.run(page.next('npm run partner -- suspend'), { CLIENT_ID: 'mole' });
    expect(suspended.code, suspended.printed).toBe(0);
    const imported = await service.run(page.next('npm run partner -- import'));
    expect(imported.code, imported.printed).toBe(0);
    expect(imported.printed).toContain('did not change: mole');
    const { partners } = await service.admin<{ partners: { clientId: string; status: string }[] }>('/admin/partners');
    expect(partners).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ clientId: 'mole', status: 'suspended' }),
        expect.objectContaining({ clientId: 'acme', status: 'active' }),
      ]),
    );
  },
);
