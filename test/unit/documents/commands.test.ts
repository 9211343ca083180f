import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { manifest } from '../package-files.ts';
import { codeBlocks, DOCUMENTS, textOf } from './markdown.ts';

const PROJECT = join(import.meta.dirname, '../../..');

/** Commands that a test runs unchanged from the documents, with the test. The first match counts. */
const RUN_BY_TESTS: readonly (readonly [documents: RegExp, command: RegExp, test: string])[] = [
  [/^README\.md$/, /^npm ci && npm test/, '.ci/run'],
  [/^docs\/operators\/releases/, /^npm run release -- \S+ --notes$/, 'test/system/tools/release-command.test.ts'],
  [/^README\.md$/, /^npm ci && npx wrangler dev$/, 'test/system/worker/wrangler-dev.test.ts'],
  [/^README\.md$/, /^npm ci && npm run dev/, 'test/system/e2e/readme-quickstart.test.ts'],
  [
    /^README\.md$|^docs\/partners\//,
    /^(?:curl|TOKEN=|WALLET=|PASS=|\. \.dev)/,
    'test/system/e2e/readme-quickstart.test.ts',
  ],
  [/^docs\/operators\/(?:admin-api|runbook)\.md$/, /^(?:curl|TOKEN=)/, 'test/system/e2e/readme-quickstart.test.ts'],
  [/^docs\/partners\/api\.md$/, /^gatepass /, 'test/system/examples/reference-samples.test.ts'],
  [/^docs\/partners\/quickstart\.md$/, /^gatepass (?:get|freeze|unfreeze) /, 'test/system/e2e/quickstart-tabs.test.ts'],
  [/^docs\/partners\/quickstart\.md$/, /^(?:npm install|gatepass|node -e) /, 'test/system/worker/wrangler-dev.test.ts'],
  [/^docs\/partners\/|^packages\/cli\/README/, /^gatepass issue --csv/, 'test/system/packages/cli/csv-run.test.ts'],
  [/^packages\/cli\/README\.md$/, /^gatepass login/, 'test/system/packages/cli/commands.test.ts'],
  [
    /^docs\/partners\/(?:command|client|react)\.md$|^packages\/(?:cli|contracts)\/README/,
    /^npm install |^curl .*\/downloads\//,
    'test/system/packages/install-from-the-service.test.ts',
  ],
  [/^examples\/dapp\/README\.md$/, /^npm run (?:dev|dapp)$/, 'test/system/dapp/command.test.ts'],
  [/^examples\/README\.md$/, /^node examples\/verif/, 'test/system/examples/verification-webhook.test.ts'],
  [/^examples\/README\.md$/, /^(?:examples\/|node |python3 )/, 'test/system/examples/examples.test.ts'],
];

/**
 * Commands that need an account at Cloudflare or at a provider of nodes, or the files of one. `test/system/ops/deployment-page.test.ts` checks their
 * names and options.
 */
const NEED_AN_ACCOUNT = [
  /^git fetch --tags && git checkout v\S+ && npm ci$/,
  /^npx wrangler /,
  /^npm run (?:partner|doctor|deploy|rebuild|shard|revoke|restore|rollback|network|takeover|wrangler|setup|emergency|audit) -- .*--env /,
  /^npm run key -- .*--secrets /,
  /^npm run network -- keygen /,
  /^npm run network -- trust .*--rpc mainnet=URL /,
  /^\(umask 077; touch \S+\.secrets\)$/,
  /^rm \S+\.secrets$/,
  /^curl https:\/\/api\.acme\.com\//,
];

/** Returns the commands of the shell blocks, each on one line without its comment. */
const commandsIn = (text: string) =>
  codeBlocks(text, 'sh').flatMap((block) =>
    block
      .replaceAll(/\\\n\s*/g, '')
      .split('\n')
      .map((line) => line.replace(/\s+# .*$/, '').trim())
      .filter((line) => line !== ''),
  );

const documented = DOCUMENTS.flatMap((document) =>
  commandsIn(textOf(document)).map((command) => ({ document, command })),
);

describe('the commands of the documents', () => {
  it('are all run by a test, or need an account', () => {
    const unknown = documented.filter(
      ({ document, command }) =>
        !RUN_BY_TESTS.some(([documents, pattern]) => documents.test(document) && pattern.test(command)) &&
        !NEED_AN_ACCOUNT.some((pattern) => pattern.test(command)),
    );
    expect(unknown).toEqual([]);
    expect(documented.length).toBeGreaterThan(40);
  });

  it('have no pattern that matches nothing, and no test that is missing', () => {
    const commands = documented.map(({ command }) => command);
    const patterns = [...RUN_BY_TESTS.map(([, pattern]) => pattern), ...NEED_AN_ACCOUNT];
    expect(patterns.filter((pattern) => !commands.some((command) => pattern.test(command)))).toEqual([]);
    expect(RUN_BY_TESTS.map(([, , test]) => test).filter((test) => !existsSync(join(PROJECT, test)))).toEqual([]);
  });

  it('name only npm scripts that exist', () => {
    const { scripts } = manifest();
    const client = JSON.parse(textOf('packages/client/package.json')).scripts;
    const current = DOCUMENTS.filter((document) => !/^CHANGELOG|^docs\/decisions\//.test(document));
    const named = current.flatMap((document) =>
      [...textOf(document).matchAll(/\bnpm run ([\w:-]+)(?: (-w client))?/g)].map(([, name = '', workspace]) => ({
        document,
        name,
        exists: Object.hasOwn(workspace === undefined ? scripts : client, name),
      })),
    );
    expect(named.length).toBeGreaterThan(40);
    expect(named.filter(({ exists }) => !exists)).toEqual([]);
  });
});
