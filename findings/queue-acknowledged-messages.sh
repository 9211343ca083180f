#!/bin/sh
# Guess: a queue does not deliver a message again after the consumer calls `message.ack()`, even if the handler then throws or calls
# `batch.retryAll()`. The documentation of Cloudflare Queues promises both, so the local runtime keeps to it.
# Seen with miniflare 5.20261023.2-beta (workerd 1.20261023.1): in both cases the acknowledged message comes again, and once the retries are used
# up it is a dead letter. Only `message.retry()` for the other message leaves it alone. workerd reports the acknowledgement, but the local
# broker does not read it.
# It matters because a correct consumer does its work twice in local tests and leaves dead letters of finished work. A consumer that behaves alike
# in both places catches its errors and calls `message.retry()` for each message that failed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
npm init -y >/dev/null
npm install --silent --no-audit --no-fund miniflare@5.20261023.2-beta
cat >worker.mjs <<'JS'
const FAILURES = {
  throws() {
    throw new Error('The second message failed.');
  },
  'retries-all': (batch) => batch.retryAll(),
  'retries-one': (batch) => batch.messages.find(({ body }) => body === 'second')?.retry(),
};
const deliveries = [];

export default {
  async fetch(_, env) {
    for (const name of Object.keys(FAILURES)) await env[name].sendBatch([{ body: 'first' }, { body: 'second' }]);
    await scheduler.wait(8_000);
    const timesIn = (name, body) => deliveries.filter((it) => it.name === name && it.body === body).length;
    const lines = Object.keys(FAILURES).map((name) => {
      const counts = ['first', 'second'].map((body) => {
        return `${body} ${timesIn(name, body)} times, ${timesIn(`${name}-dead`, body)} dead letters`;
      });
      return `${name}: ${counts.join('; ')}\n`;
    });
    return new Response(lines.join(''));
  },
  queue(batch) {
    for (const { body } of batch.messages) deliveries.push({ name: batch.queue, body });
    if (batch.queue.endsWith('-dead')) return;
    for (const message of batch.messages) if (message.body === 'first') message.ack();
    FAILURES[batch.queue](batch);
  },
};
JS
cat >run.mjs <<'JS'
import { readFileSync } from 'node:fs';
import { convertV4MiniflareOptions, Log, LogLevel, Miniflare } from 'miniflare';

const NAMES = ['throws', 'retries-all', 'retries-one'];
const BATCH = { maxBatchSize: 2, maxBatchTimeout: 1 };
const consumers = NAMES.flatMap((name) => [
  [name, { ...BATCH, maxRetries: 1, deadLetterQueue: `${name}-dead` }],
  [`${name}-dead`, BATCH],
]);
const options = convertV4MiniflareOptions({
  modules: true,
  script: readFileSync('worker.mjs', 'utf8'),
  compatibilityDate: '2026-08-15',
  queueProducers: NAMES,
  queueConsumers: Object.fromEntries(consumers),
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
throws: first 2 times, 1 dead letters; second 2 times, 1 dead letters
retries-all: first 2 times, 1 dead letters; second 2 times, 1 dead letters
retries-one: first 1 times, 0 dead letters; second 2 times, 1 dead letters
END
diff expected seen
