import { expect, it } from 'vitest';
import { startWebhookReceiver } from '../../webhook-receiver.ts';
import { expectAccessible } from './open-console.ts';
import { openWindows } from './open-windows.ts';

/** The whole life of a webhook in the console: its events, its secret, its changes, and the texts after a test. */

const open = openWindows();

it('adds a webhook for some events, changes all of it, and rotates its secret', async () => {
  const receiver = await startWebhookReceiver();
  const window = await open({ permissions: ['clipboard-read', 'clipboard-write'] });
  const { page } = window;
  try {
    await window.signIn('staff');
    await window.show('Webhooks');
    const url = `${receiver.url}/console-webhooks`;
    await page.getByLabel('URL').fill(url);
    await page.getByText('Only some events').click();
    // Events that no other test causes meanwhile.
    await page.getByLabel('Change undone by the chain').check();
    await page.getByLabel('Issuance refused by the chain').check();
    await page.getByRole('button', { name: 'Add', exact: true }).click();
    const added = page.locator('.secret');
    await added.getByText(/Store this secret now/).waitFor();
    // Somebody may look at the screen.
    expect(await added.textContent()).not.toContain('whsec_');
    await added.getByRole('button', { name: 'Copy the secret' }).click();
    await added.getByText('Copied').waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    expect(copied).toMatch(/^whsec_/);
    await added.getByRole('button', { name: 'Show' }).click();
    expect(await added.textContent()).toContain(copied);

    const card = page.getByRole('region', { name: `Webhook ${url}` });
    await card
      .locator('dt:has-text("Events") + dd', {
        hasText:
          /Issuance refused by the chain, Change undone by the chain|Change undone by the chain, Issuance refused by the chain/,
      })
      .waitFor();
    await expectAccessible(page, 'a webhook with its secret');

    await card.getByRole('button', { name: 'Test' }).click();
    await card.getByText('The receiver took the test event: status 204').waitFor();
    expect(await card.locator('dt:has-text("Last success") + dd').textContent()).toBe('never');
    await card.getByText('the facts above stay as they are').waitFor();

    await card.getByRole('button', { name: 'Change' }).click();
    const dialog = page.getByRole('dialog', { name: 'Change this webhook' });
    expect(await dialog.getByLabel('Change undone by the chain').isChecked()).toBe(true);
    await dialog.getByLabel('Description').fill('=cmd() \u202Eevil');
    await dialog.getByLabel('Change undone by the chain').uncheck();
    await dialog.getByLabel('Issuance refused by the chain').uncheck();
    await expectAccessible(page, 'the dialog that changes a webhook');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('dialog').getByRole('alert').waitFor();
    await dialog.getByLabel('Description').fill('=cmd() of the shop');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog.waitFor({ state: 'detached' });
    await card.locator('dt:has-text("Events") + dd', { hasText: 'all' }).waitFor();
    await card.getByText('=cmd() of the shop').waitFor();

    await card.getByRole('button', { name: 'Rotate the secret' }).click();
    const rotate = page.getByRole('dialog', { name: 'Make a new secret?' });
    await rotate.getByText('24 hours').waitFor();
    await rotate.getByRole('button', { name: 'Rotate the secret' }).click();
    await card.getByText('The earlier one works for 24 hours more.').waitFor();
    await card.getByRole('button', { name: 'Copy the secret' }).click();
    await expect.poll(() => page.evaluate<string>('navigator.clipboard.readText()')).not.toBe(copied);

    await card.getByRole('button', { name: 'Disable' }).click();
    await card.getByRole('button', { name: 'Enable' }).click();
    await card.getByRole('button', { name: 'Disable' }).waitFor();
    await window.screenshot('webhook');
    await card.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
    await card.waitFor({ state: 'detached' });
  } finally {
    receiver.stop();
  }
});

it('shows all kept deliveries, page by page', async () => {
  const window = await open();
  const { page } = window;
  await window.signIn('staff');
  const id = crypto.randomUUID();
  const webhook = {
    id,
    url: 'https://hooks.example/a',
    status: 'enabled',
    cursor: 45,
    waiting: 0,
    createdAt: '2026-11-01T00:00:00Z',
  };
  const deliveryOf = (number: number) => ({
    number,
    at: '2026-11-02T00:00:00.000Z',
    type: 'pass.issued',
    sequence: number,
    attempt: 1,
    outcome: 'delivered',
    status: 204,
  });
  await page.route('**/webhooks', (route) => route.fulfill({ json: { webhooks: [webhook] } }));
  await page.route('**/webhooks/*/deliveries?*', (route) => {
    const after = Number(new URL(route.request().url()).searchParams.get('after'));
    const numbers = Array.from({ length: 45 }, (_, index) => index + 1)
      .filter((each) => each > after)
      .slice(0, 30);
    return route.fulfill({
      json: { deliveries: numbers.map(deliveryOf), next: numbers.at(-1) ?? after, more: numbers.at(-1) !== 45 },
    });
  });
  await window.show('Webhooks');
  await page.getByRole('button', { name: 'Last deliveries' }).click();
  await page.getByText('Deliveries, the newest first: 20 of 45').waitFor();
  await page.getByRole('button', { name: 'Older deliveries' }).click();
  await page.getByRole('button', { name: 'Older deliveries' }).click();
  await page.getByText('Deliveries, the newest first: 45 of 45').waitFor();
  expect(await page.getByRole('row').count()).toBe(46);
  expect(await page.getByRole('button', { name: 'Older deliveries' }).count()).toBe(0);
});
