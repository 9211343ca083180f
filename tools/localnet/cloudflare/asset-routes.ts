import { createHash } from 'node:crypto';
import * as v from 'valibot';
import { ApiRefusal } from './refusal.ts';
import type { ApiRoute } from './route.ts';

/** https://developers.cloudflare.com/workers/static-assets/direct-upload/ – the files are counted, and not kept. */

const Manifest = v.strictObject({
  manifest: v.record(v.string(), v.strictObject({ hash: v.string(), size: v.number() })),
});

/** The token of a session. Wrangler reads the time in it. */
function sessionToken(subject: string): string {
  const part = (json: object) => Buffer.from(JSON.stringify(json)).toString('base64url');
  const exp = Math.floor(Date.now() / 1000) + 3600;
  const text = `${part({ alg: 'none' })}.${part({ sub: subject, exp })}`;
  return `${text}.${createHash('sha256').update(text).digest('base64url')}`;
}

export const ASSET_ROUTES: readonly ApiRoute[] = [
  {
    method: 'POST',
    path: '/workers/scripts/:name/assets-upload-session',
    permission: 'Workers Scripts',
    handle: ({ json }) => {
      const hashes = Object.values(v.parse(Manifest, json).manifest).map(({ hash }) => hash);
      return { result: { jwt: sessionToken('upload'), buckets: [[...new Set(hashes)]] } };
    },
  },
  {
    method: 'POST',
    path: '/workers/assets/upload',
    permission: 'Workers Scripts',
    query: ['base64'],
    handle: ({ contentType }) => {
      if (!contentType.startsWith('multipart/form-data')) throw new ApiRefusal(400, 10000, 'No form was uploaded');
      return { result: { jwt: sessionToken('completion') }, status: 201 };
    },
  },
];
