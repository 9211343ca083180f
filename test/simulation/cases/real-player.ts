import { createRequire } from 'node:module';
import { join } from 'node:path';
import { build } from 'esbuild';
import { WRANGLER } from '../../../terminal/wrangler.ts';
import { LIMIT, MAX_BATCH, MAX_RETRIES, type Script } from './script.ts';

const { convertV4MiniflareOptions, Log, LogLevel, Miniflare } = createRequire(WRANGLER)('miniflare');

/** Plays scripts in the runtime of `wrangler dev`. */
export interface RealPlayer {
  play(script: Script): Promise<string[][]>;
  stop(): Promise<void>;
}

/** Starts the runtime. */
export async function realPlayer(): Promise<RealPlayer> {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'script-worker.ts')],
    bundle: true,
    format: 'esm',
    write: false,
    external: ['cloudflare:workers'],
  });
  const consumer = (name: keyof typeof MAX_BATCH) => ({
    maxBatchSize: MAX_BATCH[name],
    maxBatchTimeout: 0,
    ...(name !== 'dead' && { maxRetries: MAX_RETRIES, deadLetterQueue: 'dead' }),
  });
  const miniflare = new Miniflare(
    convertV4MiniflareOptions({
      log: new Log(LogLevel.NONE),
      // The scripts do things on purpose of which the runtime warns.
      handleStructuredLogs: () => {},
      modules: true,
      script: outputFiles[0]?.text ?? '',
      compatibilityDate: '2026-08-15',
      compatibilityFlags: ['queue_consumer_no_wait_for_wait_until'],
      durableObjects: { SCRIPTS: { className: 'ScriptObject', useSQLite: true } },
      d1Databases: ['D1'],
      queueProducers: { ones: 'ones', several: 'several' },
      queueConsumers: { ones: consumer('ones'), several: consumer('several'), dead: consumer('dead') },
      ratelimits: { LIMIT: { namespace_id: '1', simple: { limit: LIMIT, period: 60 } } },
    }),
  );
  return {
    async play(script) {
      const answer = await miniflare.dispatchFetch('http://script/', { method: 'POST', body: JSON.stringify(script) });
      return answer.json();
    },
    stop: () => miniflare.dispose(),
  };
}
