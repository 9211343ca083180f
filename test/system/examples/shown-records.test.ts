import { beforeAll, describe, expect, inject, it } from 'vitest';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { EXAMPLE } from '../../../tools/openapi/fields.ts';
import { codeBlocks, textOf } from '../../unit/documents/markdown.ts';
import { pollUntil } from '../poll-until.ts';
import { formOf } from './form-of.ts';

/**
 * Each record that a document or the API reference shows has the fields of a real answer to the same request, in the same order, and every
 * value that depends neither on the time nor on an id.
 */

const facts = inject('gatepass');
const [ACME] = facts.partners;
const NETWORK = ACME?.gatekeeperNetwork ?? '';
const WALLETS = { sepolia: freshWallet('sepolia'), devnet: freshWallet('devnet') };
const REQUESTED = freshWallet('sepolia');
const EXPIRY = 2_208_988_800;

let token = '';
/** Sends a request of the partner, and returns the JSON of the answer. */
async function ask(method: string, path: string, body?: unknown, prefer = ''): Promise<Answer> {
  const response = await fetch(`${facts.baseUrl}${path}`, {
    method,
    headers: {
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(prefer !== '' && { prefer }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  return (await response.json()) as Answer;
}
// biome-ignore lint/suspicious/noExplicitAny: the answers are what the test looks at
type Answer = any;

const waits = 'wait=20';
const pathOf = (network: keyof typeof WALLETS) =>
  `/pass/${network === 'devnet' ? 'solana' : 'ethereum'}/${network}/${WALLETS[network]}`;
const issue = (network: string, walletAddress: string, prefer = '', more = {}) =>
  ask('POST', `/pass/${network === 'devnet' ? 'solana' : 'ethereum'}/${network}`, { walletAddress, ...more }, prefer);

/** The real answers, by the operation and the name of its example in the reference. */
const real: Record<string, Answer> = {};

beforeAll(async () => {
  const credentials = btoa(`${ACME?.clientId}:${ACME?.clientSecret}`);
  const response = await fetch(facts.tokenUrl, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}` },
    body: new URLSearchParams({ grant_type: 'client_credentials' }),
  });
  token = ((await response.json()) as { access_token: string }).access_token;

  real['issuePass requested'] = await issue('sepolia', REQUESTED);
  real['issuePass requestedOnSolana'] = await issue('devnet', freshWallet('devnet'));
  real['issuePass active'] = await issue('sepolia', WALLETS.sepolia, waits);
  real['getPass active'] = await ask('GET', pathOf('sepolia'));
  real['getPass activeOnSolana'] = await issue('devnet', WALLETS.devnet, waits);
  const found = (walletAddress: string) => ask('POST', '/pass', { filter: { walletAddress }, count: true });
  const pages = [await found(WALLETS.devnet), await found(WALLETS.sepolia)];
  real['searchPasses found'] = { ...pages[0], records: pages.flatMap(({ records }) => records) };
  const expiring = freshWallet('sepolia');
  await issue('sepolia', expiring, waits, { expiryTimestamp: EXPIRY });
  real['verifyPass valid'] = await ask('GET', `/verify/${NETWORK}/ethereum/sepolia/${expiring}`);

  const { askingContract } = EXAMPLE;
  const signed = `signed=1&chainId=8453&verifyingContract=${askingContract}`;
  const check = () => ask('GET', `/verify/${NETWORK}/ethereum/sepolia/${expiring}?${signed}`);
  // Not before a watcher has followed the chain.
  real['verifyPass signed'] = await pollUntil(check, ({ verdict }) => verdict !== undefined);

  const freeze = { state: 'FROZEN', reason: 'case 4711' };
  real['updatePass frozen'] = await ask('PATCH', pathOf('devnet'), freeze, waits);
  const { status: _, ...frozen } = real['updatePass frozen'];
  real['syncPass frozen'] = frozen;
  real['updatePass freezing'] = await ask('PATCH', pathOf('sepolia'), freeze);
  real['getPass frozen'] = await ask('GET', pathOf('sepolia'), undefined, waits);
  real['revokePass revoking'] = await ask('DELETE', pathOf('sepolia'));
  const { id } = real['issuePass active'];
  const feed = () => ask('GET', `/events?limit=1000`);
  const { events } = await pollUntil(feed, ({ events }) => events.some((each: Answer) => each.id.startsWith(id)));
  real['listEvents issued'] = events.find((each: Answer) => each.id.startsWith(id) && each.type === 'pass.issued');
  const trail = () => ask('GET', `/audit?pass=${id}`);
  const freezes = (page: Answer) => page.entries.filter((each: Answer) => each.action === 'pass.freeze');
  const page = await pollUntil(trail, (each) => freezes(each).length > 0);
  real['listAudit freeze'] = { ...page, entries: freezes(page) };
  real['getUsage example'] = await ask('GET', '/usage?subjects=true');
  real['issuePass invalid_wallet'] = await issue('devnet', 'tooShort');
});

const { paths } = JSON.parse(textOf('docs/partners/openapi.json'));
/** The examples of the reference by the operation and their name. */
const shown: Record<string, Answer> = Object.fromEntries(
  Object.values(paths as Record<string, object>).flatMap((item) =>
    Object.values(item).flatMap(({ operationId, responses = {} }) =>
      Object.values(responses as Record<string, Answer>).flatMap(({ content }) => {
        const { example, examples = {} } = content?.['application/json'] ?? {};
        const all = example === undefined ? examples : { ...examples, example: { value: example } };
        return Object.entries(all as Record<string, Answer>).map(([name, { value }]) => [
          `${operationId} ${name}`,
          value,
        ]);
      }),
    ),
  ),
);

/** Compares a shown record with the real one. `named`: values of the requests, which need not be alike. */
function expectAlike(record: Answer, answer: Answer): void {
  const namedIn = ({ walletAddress, expiryTimestamp }: Answer) => ({
    ...(walletAddress !== undefined && { walletAddress }),
    ...(expiryTimestamp !== undefined && { expiryTimestamp }),
  });
  const form = (value: Answer) => formOf(value, namedIn(value.data?.pass ?? value));
  expect(form(record)).toEqual(form(answer));
}

describe('the API reference shows', () => {
  it.each([
    'issuePass requested',
    'issuePass requestedOnSolana',
    'issuePass active',
    'getPass active',
    'getPass activeOnSolana',
    'verifyPass valid',
    'updatePass freezing',
    'updatePass frozen',
    'syncPass frozen',
    'revokePass revoking',
  ])('the record of a real answer: %s', (name) => {
    expectAlike(shown[name], real[name]);
  });

  it('the signed verdict of a pass', () => {
    const form = (check: Answer) => formOf(check, { wallet: check.verdict.message.wallet });
    expect(form(shown['verifyPass signed'])).toEqual(form(real['verifyPass signed']));
  });

  it('the records that a search finds', () => {
    const [first, second] = shown['searchPasses found'].records;
    const { records } = real['searchPasses found'];
    expect(Object.keys(shown['searchPasses found'])).toEqual(Object.keys(real['searchPasses found']));
    expectAlike(first, records[0]);
    expectAlike(second, records[1]);
  });

  it('the event of an issuance', () => {
    expectAlike(shown['listEvents page'].events[0], real['listEvents issued']);
  });

  it('the entry of a freeze in the audit trail', () => {
    const entries = [shown['listAudit freeze'], real['listAudit freeze']].map((page) => page.entries[0]);
    const forms = entries.map((entry) => formOf(entry, { walletAddress: entry.target.walletAddress }));
    expect(forms[0]).toEqual(forms[1]);
    expect(Object.keys(shown['listAudit freeze'])).toEqual(Object.keys(real['listAudit freeze']));
  });

  it('the usage of a month', () => {
    const [first] = shown['getUsage example'].networks;
    const same = real['getUsage example'].networks.find((each: Answer) => each.chain.network === 'sepolia');
    expect(formOf(first)).toEqual(formOf(same));
    expect(Object.keys(shown['getUsage example'])).toEqual(Object.keys(real['getUsage example']));
  });
});

describe('a document shows', () => {
  const blocksOf = (file: string): Answer[] =>
    codeBlocks(textOf(file), 'json').flatMap((block) => {
      const value = JSON.parse(block);
      return 'items' in value ? [] : [value];
    });

  it.each(['README.md', 'docs/partners/quickstart.md', 'docs/partners/api.md'])(
    'the record of a real issuance: %s',
    (file) => {
      const records = blocksOf(file).filter((value) => 'onChainState' in value);
      expect(records).toHaveLength(1);
      expectAlike(records[0], real['issuePass active']);
    },
  );

  it('the answers of the public check and of the usage', () => {
    const [check] = blocksOf('docs/partners/api.md').filter((value) => 'valid' in value && !('id' in value));
    expectAlike(check, real['verifyPass valid']);
    const [usage] = blocksOf('docs/partners/api.md').filter((value) => 'networks' in value);
    expect(usage).toEqual(shown['getUsage example']);
  });

  it('the event of an issuance', () => {
    const [event] = blocksOf('docs/partners/events.md');
    expectAlike(event, real['listEvents issued']);
  });

  it('the problem of an invalid wallet', () => {
    const [problem] = blocksOf('docs/partners/errors.md');
    expect(formOf(problem)).toEqual(formOf(real['issuePass invalid_wallet']));
  });
});
