import { expect, inject, it } from 'vitest';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { startWebhookReceiver } from '../../webhook-receiver.ts';
import type { Page } from '../chromium.ts';
import { openWindows } from './open-windows.ts';

/** The views of the console for the staff of a partner, in a browser, with the sign-in of the localnet. */

const facts = inject('gatepass');
const acme = new LocalnetPartner(facts, 'acme');
const open = openWindows();

const eventNames = (page: Page) => page.getByRole('list', { name: 'Timeline' }).locator('strong').allTextContents();

it('signs in, issues a pass, finds it, freezes it, and shows the timeline move', async () => {
  const window = await open();
  const { page, tokens } = window;
  await window.screenshot('sign-in');
  await window.signIn('staff');
  expect(await page.evaluate<string>('JSON.stringify({ ...sessionStorage, ...localStorage })')).not.toMatch(
    /eyJ|verifier/,
  );
  expect(page.url()).not.toMatch(/code=|state=/);
  await window.show('Issue');
  const wallet = freshWallet('sepolia');
  const form = page.locator('form').first();
  await form.getByLabel('Network').selectOption('sepolia');
  await form.getByLabel('Wallet').fill(wallet);
  await form.getByRole('button', { name: 'Issue', exact: true }).click();
  await page.getByRole('link', { name: `see the pass of ${wallet}` }).waitFor();

  await window.show('Find');
  await window.find(wallet);
  await page.getByText('The passes of the wallet').waitFor();
  await window.find('not a wallet');
  await page.getByRole('alert').waitFor();
  expect(await page.getByRole('cell').count()).toBe(0);
  await window.find(wallet);
  await page.getByRole('link', { name: wallet }).click();
  await window.untilOnChain('ACTIVE');
  expect(await eventNames(page)).toEqual(['Issued', 'Issuance requested']);
  const link = page.getByRole('link', { name: /^0x[0-9a-f]{64}$/ }).first();
  expect(await link.getAttribute('href')).toMatch(/^https:\/\/sepolia\.etherscan\.io\/tx\/0x[0-9a-f]{64}$/);

  await page.getByRole('button', { name: 'Freeze' }).click();
  const dialog = page.getByRole('dialog', { name: 'Freeze this pass?' });
  await dialog.getByText(wallet).waitFor();
  const reason = 'case 4711 <img src=x onerror="document.title=1">';
  await dialog.getByLabel('Reason (optional)').fill(reason);
  await dialog.getByRole('button', { name: 'Freeze' }).click();
  await window.untilOnChain('FROZEN');
  expect((await eventNames(page))[0]).toBe('Frozen');
  expect((await acme.fetch('sepolia', wallet)).state).toBe('FROZEN');
  // The entry of the event names the person and the reason.
  const frozen = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem').filter({ hasText: reason });
  await frozen.getByText('by staff').waitFor();
  expect(await frozen.locator('strong').textContent()).toBe('Freeze requested');
  expect(await page.locator('main img').count()).toBe(0);
  await window.screenshot('pass');

  await page.getByRole('button', { name: 'Revoke' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  await page.getByRole('button', { name: 'Renew' }).click();
  await page.getByLabel('New expiry').fill('2031-05-01');
  await page.getByRole('dialog').getByRole('button', { name: 'Renew' }).click();
  await page.locator('dt:has-text("Expires") + dd time[datetime="2031-05-01T00:00:00.000Z"]').waitFor();
  // The canceled revocation was not sent: nobody renews a revoked pass.
  expect((await acme.fetch('sepolia', wallet)).state).toBe('FROZEN');
  expect(tokens.size).toBe(1);
});

it('issues a pass with a reference, finds it by the reference, changes it and removes it', async () => {
  const window = await open();
  const { page } = window;
  await window.signIn('staff');
  await window.show('Issue');
  const wallet = freshWallet('sepolia');
  const reference = `<b>order</b> ${wallet}`;
  const form = page.locator('form').first();
  await form.getByLabel('Network').selectOption('sepolia');
  await form.getByLabel('Wallet').fill(wallet);
  await form.getByLabel('Reference').fill(reference);
  await form.getByRole('button', { name: 'Issue', exact: true }).click();
  await page.getByRole('link', { name: `see the pass of ${wallet}` }).waitFor();

  const findByReference = async (text: string) => {
    await window.show('Find');
    await page.getByLabel('Or reference').fill(text);
    await page.getByRole('button', { name: 'Find' }).click();
  };
  await findByReference('no such reference');
  await page.getByText('No pass has this reference.').waitFor();
  await findByReference(reference);
  await page.getByRole('cell', { name: reference }).waitFor();
  await page.getByRole('link', { name: wallet }).click();
  await window.untilOnChain('ACTIVE');
  await page.locator(`dt:has-text("Reference") + dd:has-text("${reference}")`).waitFor();

  const change = async (text: string) => {
    await page.getByRole('button', { name: 'Change the reference' }).click();
    await page.getByRole('dialog').getByLabel('Reference').fill(text);
    await page.getByRole('dialog').getByRole('button', { name: 'Change the reference' }).click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
  };
  await change('order 2');
  await page.locator('dt:has-text("Reference") + dd:has-text("order 2")').waitFor();
  await change('');
  await page.locator('dt:has-text("Reference")').waitFor({ state: 'detached' });
  expect((await eventNames(page)).slice(0, 2)).toEqual(['Reference changed', 'Reference changed']);
  expect(await acme.fetch('sepolia', wallet)).not.toHaveProperty('reference');
});

it('shows the newest passes also if the page is hidden while it loads', async () => {
  await acme.issue('sepolia', freshWallet('sepolia'));
  const window = await open();
  const { page } = window;
  await page.addInitScript("Object.defineProperty(document, 'hidden', { get: () => true })");
  await window.signIn('staff');
  await window.show('Find');
  await page.getByText('The newest passes').waitFor();
});

it('shows the view of an address that changes while the page appears', async () => {
  const window = await open();
  const { page } = window;
  // Changes the address as soon as the header is in the document.
  await page.addInitScript(`new MutationObserver((_, observer) => {
    if (document.querySelector('header') === null) return;
    observer.disconnect();
    location.hash = '#/usage';
  }).observe(document, { childList: true, subtree: true })`);
  await window.signIn('staff');
  await page.getByRole('heading', { name: 'Usage' }).waitFor();
});

/** A full record lacks the events after its first one. */
const FULL = ['TOKEN_ISSUED_INITIATED', ...Array.from({ length: 99 }, () => 'TOKEN_UNFROZEN')];
const PROGRESS = [
  ['ACTIVE', 'ACTIVE', ['TOKEN_ISSUED'], 'The chain has the wanted state.'],
  ['ACTIVE', 'ACTIVE', ['TOKEN_EXPIRY_CHANGED_INITIATED'], 'A change is under way:'],
  ['ACTIVE', 'ACTIVE', ['TOKEN_ISSUED_REORGED'], 'A change is under way:'],
  ['FROZEN', 'ACTIVE', ['TOKEN_ISSUED'], 'The chain does not have the wanted state.'],
  ['REVOKED', 'NONE', ['TOKEN_REVOKED'], 'The chain has the wanted state.'],
  ['REVOKED', 'ACTIVE', ['TOKEN_REVOKED'], 'The chain does not have the wanted state.'],
  ['ACTIVE', 'ACTIVE', FULL, 'The chain has the wanted state.'],
  ['ACTIVE', 'ACTIVE', [...FULL.slice(0, -1), 'TOKEN_FROZEN_INITIATED'], 'A change is under way:'],
  ['REJECTED', 'NONE', ['TOKEN_ISSUED_FAILED'], 'The chain refused the issuance.'],
] as const;

it('says whether the chain has the wanted state, and offers to revoke a token that others issued again', async () => {
  const wallet = freshWallet('sepolia');
  await acme.issue('sepolia', wallet);
  const window = await open();
  const { page } = window;
  await window.signIn('staff');
  for (const [state, onChainState, types, text] of PROGRESS) {
    // The record is real except for these three fields.
    await page.route(`**/pass/ethereum/sepolia/${wallet}`, async (route) => {
      const response = await route.fetch();
      const events = types.map((eventType) => ({ eventType, timestamp: 1 }));
      await route.fulfill({ response, json: { ...(await response.json()), state, onChainState, events } });
    });
    // A view without a request, because the tests beside this one share the limits of the person.
    await page.goto(`${facts.baseUrl}/console#/issue`);
    await page.getByRole('heading', { name: 'Issue', exact: true }).waitFor();
    await page.goto(`${facts.baseUrl}/console#/pass/ethereum/sepolia/${wallet}`);
    await page.getByText(text).waitFor();
    const canRevoke = (await page.getByRole('button', { name: 'Revoke' }).count()) === 1;
    expect(canRevoke, `${state} ${onChainState}`).toBe(onChainState === 'ACTIVE');
    await page.unrouteAll({ behavior: 'wait' });
  }
});

it('shows who made a change by others, and their transaction', async () => {
  const wallet = freshWallet('sepolia');
  await acme.issue('sepolia', wallet);
  const [gatekeeper, identifier] = [`0x${'7'.repeat(40)}`, `0x${'9'.repeat(64)}`];
  const window = await open();
  const { page } = window;
  await window.signIn('staff');
  await page.route(`**/pass/ethereum/sepolia/${wallet}`, async (route) => {
    const response = await route.fetch();
    const frozen = { eventType: 'TOKEN_FROZEN', timestamp: 1, transaction: { identifier, status: 'confirmed' } };
    const events = [
      { ...frozen, byOthers: { gatekeeper } },
      { eventType: 'TOKEN_UNFROZEN', timestamp: 2, byOthers: {} },
      { ...frozen, timestamp: 3 },
    ];
    await route.fulfill({ response, json: { ...(await response.json()), events } });
  });
  await page.goto(`${facts.baseUrl}/console#/pass/ethereum/sepolia/${wallet}`);
  const entries = page.getByRole('list', { name: 'Timeline' }).getByRole('listitem');
  // The first one is the request for the issuance, which none of these events names.
  await expect.poll(() => entries.count()).toBe(4);
  const [issuance, own, unknown, byOthers] = await entries.allTextContents();
  expect(issuance).toContain('Issuance requested');
  expect(own).toContain(identifier);
  expect(own).not.toContain('by others');
  expect(unknown).toMatch(/by others\s*$/);
  expect(byOthers).toContain(identifier);
  expect(byOthers).toContain(`by others: gatekeeper ${gatekeeper}`);
  await page.unrouteAll({ behavior: 'wait' });
});

it('continues the live feed after events that were deleted', async () => {
  for (let events = 0; events < 2; events += 1) await acme.issue('sepolia', freshWallet('sepolia'));
  const window = await open();
  const { page } = window;
  await window.signIn('staff');
  // The service deletes events after a month. This answer is what it returns then.
  let oldest: number | undefined;
  await page.route(/events\?after=\d+/, (route) => {
    const after = Number(new URL(route.request().url()).searchParams.get('after'));
    oldest ??= after + 2;
    if (after + 1 >= oldest) return route.continue();
    return route.fulfill({ status: 410, json: { status: 410, code: 'cursor_expired', detail: 'Gone.', oldest } });
  });
  await window.show('Live feed');
  await page.getByRole('table', { name: 'Events' }).getByRole('row').nth(1).waitFor();
  expect(await page.getByRole('alert').count()).toBe(0);
});

it('adds a webhook, shows its delivery and replays it, and shows markup in a description as text', async () => {
  const receiver = await startWebhookReceiver();
  const window = await open();
  const { page } = window;
  try {
    await window.signIn('staff');
    await window.show('Webhooks');
    const url = `${receiver.url}/console`;
    const markup = '<img src=x onerror="document.title=1"><script>document.title=2</script>';
    await page.getByLabel('URL').fill(url);
    await page.getByLabel('Description').fill(markup);
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    await page.getByText(/Store this secret now/).waitFor();
    const card = page.getByRole('region', { name: `Webhook ${url}` });
    await card.getByText(markup).waitFor();
    expect(await page.locator('main img, main script').count()).toBe(0);
    await card.getByRole('button', { name: 'Test' }).click();
    await card.getByText('The receiver took the test event: status 204').waitFor();

    await window.show('Live feed');
    await acme.issue('sepolia', freshWallet('sepolia'));
    await page
      .getByRole('row', { name: /Issued/ })
      .first()
      .waitFor();
    await window.screenshot('feed');
    await window.show('Webhooks');
    await expect
      .poll(
        async () => {
          await card.getByRole('button', { name: 'Last deliveries' }).click();
          return card.getByRole('row', { name: /Issued .* delivered \(204\)/ }).count();
        },
        { interval: 1_000 },
      )
      .toBeGreaterThan(0);
    await window.screenshot('webhooks');
    await card.getByRole('button', { name: 'Replay' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await card.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await card.waitFor({ state: 'detached' });
  } finally {
    receiver.stop();
  }
});
