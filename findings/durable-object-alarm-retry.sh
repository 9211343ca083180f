#!/bin/sh
# Guess: an alarm handler that sets the object's next alarm in 7 s and then throws runs again after 2 s. The documentation of Durable Objects says
# that a handler that throws is retried, with backoff and up to six times. The alarm in 7 s follows, or the throw takes it back.
# Seen with miniflare 5.20261023.2-beta (workerd 1.20261023.1): there is no retry. The handler runs next after 7 s, with the retry count 0. If
# each run sets an alarm first, eight failures in a row all count as none: no backoff, no limit.
# It matters because many handlers set the next alarm first, as protection from a crash. The failed work then waits for a whole interval, and the
# retry count never shows the failures.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund miniflare@5.20261023.2-beta
cat >worker.mjs <<'JS'
import { DurableObject } from 'cloudflare:workers';

const PLANS = {
  'throws once': { failures: 1 },
  'sets an alarm in 7 s, throws once': { failures: 1, nextAfter: 7_000 },
  'sets an alarm in 0.1 s, throws 8 times': { failures: 8, nextAfter: 100 },
};

export class Alarms extends DurableObject {
  start() {
    return this.ctx.storage.setAlarm(Date.now());
  }

  async alarm({ retryCount }) {
    const runs = [...(await this.runs()), { at: Date.now(), retryCount }];
    await this.ctx.storage.put('runs', runs);
    const { failures, nextAfter } = PLANS[this.ctx.id.name];
    if (runs.length > failures) return;
    if (nextAfter !== undefined) await this.ctx.storage.setAlarm(Date.now() + nextAfter);
    throw new Error('The work failed.');
  }

  async runs() {
    return (await this.ctx.storage.get('runs')) ?? [];
  }
}

export default {
  async fetch(_, { ALARMS }) {
    const objects = Object.keys(PLANS).map((name) => [name, ALARMS.getByName(name)]);
    for (const [, object] of objects) await object.start();
    await scheduler.wait(12_000);
    const lines = [];
    for (const [name, object] of objects) {
      const runs = await object.runs();
      const seconds = Math.floor((runs[1].at - runs[0].at) / 1_000);
      const highest = Math.max(...runs.map(({ retryCount }) => retryCount));
      lines.push(`${name}: second run after ${seconds} s, ${runs.length} runs, highest retry count ${highest}\n`);
    }
    return new Response(lines.join(''));
  },
};
JS
cat >run.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';

const options = convertV4MiniflareOptions({
  modules: true,
  script: readFileSync('worker.mjs', 'utf8'),
  compatibilityDate: '2026-08-15',
  durableObjects: { ALARMS: { className: 'Alarms', useSQLite: true } },
  cf: false,
  log: new Log(LogLevel.NONE),
  handleStructuredLogs: () => {},
});
const miniflare = new Miniflare({ ...options, telemetry: { enabled: false } });
const answer = await miniflare.dispatchFetch('http://worker/');
process.stdout.write(await answer.text());
await miniflare.dispose();
JS
node run.mjs | tee seen
cat >expected <<'END'
throws once: second run after 2 s, 2 runs, highest retry count 1
sets an alarm in 7 s, throws once: second run after 7 s, 2 runs, highest retry count 0
sets an alarm in 0.1 s, throws 8 times: second run after 0 s, 9 runs, highest retry count 0
END
diff expected seen
