import { expect, inject, it } from 'vitest';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import { openWindows } from './open-windows.ts';

/** Texts that others write: the console shows them as text, and their direction changes no text around them. */

const facts = inject('gatepass');
const acme = new LocalnetPartner(facts, 'acme');
const open = openWindows();

/** Markup, a formula, and a mark that turns the direction of the text after it. */
const HOSTILE = '=cmd()<img src=x onerror="document.title=1"><script>document.title=2</script> \u202Egnp.exe';

it('shows hostile texts of the service in a pass, a list and the audit trail as isolated text', async () => {
  const wallet = freshWallet('sepolia');
  await acme.issue('sepolia', wallet);
  const window = await open();
  const { page } = window;
  await window.signIn('staff');
  // The service refuses most of these characters. The page must not rely on that.
  await page.route(/\/audit\?/, async (route) => {
    const response = await route.fetch();
    const { entries, ...rest } = await response.json();
    const change = (entry: { actor: object }) => ({
      ...entry,
      reason: HOSTILE,
      actor: { ...entry.actor, sub: HOSTILE },
      target: { walletAddress: HOSTILE },
    });
    await route.fulfill({ response, json: { ...rest, entries: entries.map(change) } });
  });
  const hostileRecord = (record: object) => ({
    ...record,
    reference: HOSTILE,
    events: [{ eventType: 'TOKEN_ISSUED_FAILED', timestamp: 1_800_000_000, reason: HOSTILE }],
  });
  await page.route('**/pass', async (route) => {
    const response = await route.fetch();
    // Counting has a lower rate limit, and the overview counts too.
    if (!response.ok()) return route.fulfill({ response });
    const { records, ...rest } = await response.json();
    await route.fulfill({ response, json: { ...rest, records: records.map(hostileRecord) } });
  });
  await page.route(`**/pass/ethereum/sepolia/${wallet}`, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: hostileRecord(await response.json()) });
  });
  const isolated = page.locator('main bdi', { hasText: '=cmd()' });
  const expectOnlyText = async (texts: number) => {
    await expect.poll(() => isolated.count()).toBeGreaterThanOrEqual(texts);
    for (const text of await isolated.allTextContents()) expect(text).toBe(HOSTILE);
    expect(await page.locator('main img, main script').count()).toBe(0);
    expect(await page.title()).toMatch(/Gatepass console$/);
  };
  await window.find(wallet);
  // The list and the audit trail before have as many hostile texts.
  await page.getByText('The passes of the wallet').waitFor();
  await expectOnlyText(1);
  await window.show('Audit');
  await expectOnlyText(3);
  await page.goto(`${facts.baseUrl}/console#/pass/ethereum/sepolia/${wallet}`);
  await page.getByRole('heading', { name: 'Pass', level: 1 }).waitFor();
  // The reference, the reason of the service, the person and the reason of the person.
  await expectOnlyText(4);
  await page.unrouteAll({ behavior: 'wait' });
});
