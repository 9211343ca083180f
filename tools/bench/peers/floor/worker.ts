/**
 * The least work for the same answers: the token is verified, with one read of D1 or the three writes of an issuance. It has no
 * router, validation or errors, and nothing else that a service needs. Do not run it as a service.
 */
import { DurableObject } from 'cloudflare:workers';
import { createRemoteJWKSet, type JWTVerifyGetKey, jwtVerify } from 'jose';

interface Bindings {
  readonly TOKEN_ISSUER: string;
  readonly TOKEN_AUDIENCE: string;
  readonly JWKS_URL: string;
  readonly GATEKEEPER_NETWORK: string;
  readonly DB: D1Database;
  readonly PASSES: DurableObjectNamespace<StoredPass>;
  readonly PASS_QUEUE: Queue;
}

let keys: JWTVerifyGetKey | undefined;

export default {
  async fetch(request: Request, env: Bindings): Promise<Response> {
    keys ??= createRemoteJWKSet(new URL(env.JWKS_URL));
    const token = request.headers.get('authorization')?.slice('Bearer '.length) ?? '';
    await jwtVerify(token, keys, { issuer: env.TOKEN_ISSUER, audience: env.TOKEN_AUDIENCE });
    const [, , , , chain = '', network = '', wallet = ''] = request.url.split('/');
    if (request.method === 'GET') return fetchPass(chain, network, wallet, env);
    return chain === '' ? search(request, env) : issue(request, chain, network, env);
  },
  async queue(): Promise<void> {},
};

async function fetchPass(chain: string, network: string, wallet: string, env: Bindings): Promise<Response> {
  const row = await env.DB.prepare(
    'SELECT record FROM passes WHERE gatekeeper_network = ?1 AND wallet = ?2 AND chain = ?3 AND network = ?4',
  )
    .bind(env.GATEKEEPER_NETWORK, wallet, chain, network)
    .first<{ record: string }>();
  return json(row?.record ?? '', 200);
}

async function search(request: Request, env: Bindings): Promise<Response> {
  const { after, limit = 20 } = await request.json<{ after?: string; limit?: number }>();
  const { results } = await env.DB.prepare(
    `SELECT id, record FROM passes INDEXED BY passes_by_id
     WHERE gatekeeper_network = ?1 ${after === undefined ? '' : 'AND id < ?3'} ORDER BY id DESC LIMIT ?2`,
  )
    .bind(env.GATEKEEPER_NETWORK, limit, ...(after === undefined ? [] : [after]))
    .all<{ id: string; record: string }>();
  const next = JSON.stringify({ next: results[limit - 1]?.id }).slice(1);
  return json(`{"records":[${results.map(({ record }) => record).join(',')}]${next === '}' ? '' : ','}${next}`, 200);
}

async function issue(request: Request, type: string, network: string, env: Bindings): Promise<Response> {
  const { walletAddress } = await request.json<{ walletAddress: string }>();
  const gatekeeperNetwork = env.GATEKEEPER_NETWORK;
  const id = crypto.randomUUID();
  const timestamp = Math.floor(Date.now() / 1000);
  const events = [{ eventType: 'TOKEN_ISSUED_INITIATED', timestamp }];
  const states = { onChainState: 'NONE', state: 'REQUESTED', valid: false };
  const record = JSON.stringify({ id, chain: { type, network }, gatekeeperNetwork, walletAddress, events, ...states });
  const name = [gatekeeperNetwork, type, network, walletAddress].join('/');
  await env.PASSES.getByName(name).keep(record);
  await Promise.all([
    env.DB.prepare('INSERT OR REPLACE INTO passes VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
      .bind(gatekeeperNetwork, walletAddress, type, network, id, states.state, 1, record)
      .run(),
    env.PASS_QUEUE.send({ pass: name }),
  ]);
  return json(record, 202);
}

const json = (body: string, status: number) =>
  new Response(body, { status, headers: { 'content-type': 'application/json' } });

/** The source of truth for a pass, as far as an issuance needs it. */
export class StoredPass extends DurableObject<Bindings> {
  async keep(record: string): Promise<void> {
    this.ctx.storage.kv.put('pass', record);
  }
}
