import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect } from 'vitest';
import { type AuditEntry, OPERATOR_TRAIL } from '../../../src/audit/entry.ts';
import { type PassKey, passName } from '../../../src/pass/pass.ts';
import type { StoredPass } from '../../../src/pass-object/stored-pass.ts';
import { eventually } from '../../eventually.ts';
import type { Uses } from './recorded-bindings.ts';

const { AUDITS, PASSES } = env as Env;

/** The newest entries contain those of the request, because requests follow each other. */
const NEWEST = 20;

/** Returns the version of the pass; 0 if the wallet has none. */
export async function versionOf(key: PassKey): Promise<number> {
  return (await PASSES.getByName(passName(key)).readPublication())?.version ?? 0;
}

interface Changed {
  readonly key: PassKey;
  /** The version of its pass before the request. */
  readonly version: number;
  readonly requestId: string | null;
  readonly uses: Uses;
}

/** Returns the entries that a pass has for its trail. Its settlement, or its alarm, appends them. */
const pendingIn = (name: string): Promise<readonly AuditEntry[]> =>
  runInDurableObject(
    PASSES.getByName(name),
    (_, { storage }) => storage.kv.get<StoredPass>('pass')?.entries?.pending.map(({ entry }) => entry) ?? [],
  );

/**
 * Expects exactly one entry of the request for each change: of a pass, and of an action that was not refused. The entry of a pass is in
 * the pass or in the trail.
 */
export async function expectEntries({ key, version, requestId, uses }: Changed): Promise<void> {
  const name = passName(key);
  const changed = uses.calls.filter(({ namespace, name: object, method, answer }) => {
    if (namespace !== 'PASSES' || !['issue', 'update', 'adopt', 'revoke'].includes(method)) return false;
    const { publication } = (answer ?? {}) as { publication?: { version: number } };
    return publication !== undefined && publication.version > (object === name ? version : 0);
  });
  const concluded = uses.calls.filter(({ namespace, method, args }) => {
    return namespace === 'AUDITS' && method === 'conclude' && args[1] !== undefined;
  });
  const trails = [key.gatekeeperNetwork, OPERATOR_TRAIL];
  const expected = changed.length + concluded.length;
  const find = async () => {
    const pages = await Promise.all(
      trails.map((trail) => AUDITS.getByName(trail).read({ limit: NEWEST, newestFirst: true })),
    );
    const inTrails = pages.flatMap((page) => page.entries.map(({ text }) => JSON.parse(text) as AuditEntry));
    const pending = (await Promise.all([...new Set(changed.map(({ name: object }) => object))].map(pendingIn))).flat();
    const entries = new Map([...pending, ...inTrails].map((entry) => [entry.key, entry]));
    // A repeated request of another client changes only who answers for the unfinished change. No record shows that.
    return [...entries.values()].filter((entry) => entry.requestId === requestId && entry.action !== 'pass.repeat');
  };
  await eventually(async () => expect(await find()).toHaveLength(expected));
}
