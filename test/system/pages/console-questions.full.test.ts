import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { PROJECT } from '../../../terminal/wrangler.ts';
import { freshWallet } from '../../../tools/localnet/partner/fresh-wallet.ts';
import { LocalnetPartner } from '../../../tools/localnet/partner/localnet-partner.ts';
import type { Page } from '../chromium.ts';
import { openWindows } from './open-windows.ts';

/** The ten questions in `docs/partners/console.md`: each answer takes at most three actions. */

const acme = new LocalnetPartner(inject('gatepass'), 'acme');
const open = openWindows();
const wallet = freshWallet('sepolia');
const expiring = freshWallet('sepolia');
const reference = `order 4711 ${wallet}`;
const reason = `case 4711 ${wallet}`;
const DAY = 86_400;
const now = Math.floor(Date.now() / 1_000);

beforeAll(async () => {
  await acme.issue('sepolia', wallet, { reference, expiryTimestamp: now + 300 * DAY });
  await acme.issue('sepolia', expiring, { expiryTimestamp: now + 3 * DAY });
  await acme.untilSettled('sepolia', wallet);
  await acme.untilSettled('sepolia', expiring);
  await acme.update('sepolia', wallet, { state: 'FROZEN', reason });
  await acme.untilSettled('sepolia', wallet);
});

/** Counts the actions of a person. */
class Person {
  actions = 0;
  readonly page: Page;
  constructor(page: Page) {
    this.page = page;
  }
  async enter(field: string, text: string) {
    this.actions += 1;
    const input = this.page.getByRole('searchbox', { name: field });
    await input.fill(text);
    await input.press('Enter');
  }
  async open(name: string) {
    this.actions += 1;
    await this.page.getByRole('link', { name }).first().click();
  }
  async filter(field: string, choice: string) {
    this.actions += 3;
    await this.page.getByText('Filters', { exact: true }).click();
    await this.page.getByRole('combobox', { name: new RegExp(`^${field}`) }).selectOption({ label: choice });
    await this.page.getByRole('button', { name: 'Apply' }).click();
  }
  /** Waits for the list of the search. The list before it may show the same passes. */
  async finds(caption: string | RegExp) {
    await this.page.locator('caption', { hasText: caption }).waitFor();
  }
  /** Waits until the page says it. */
  async reads(text: string | RegExp) {
    await this.page.locator('main').getByText(text).first().waitFor();
  }
}

const row = (person: Person, text: string | RegExp) =>
  person.page
    .getByRole('row', { name: new RegExp(wallet, 'i') })
    .getByText(text)
    .first()
    .waitFor();

const ANSWERS: Readonly<Record<string, (person: Person) => Promise<void>>> = {
  'Do dApps accept this customer now?': async (person) => {
    await person.enter('Wallet', wallet);
    await person.finds('The passes of the wallet');
    await row(person, 'FROZEN');
  },
  'Until when?': async (person) => {
    await person.enter('Wallet', expiring);
    await person.finds('The passes of the wallet');
    const day = new Date((now + 3 * DAY) * 1_000).toISOString().slice(0, 10);
    await person.reads(new RegExp(`${day}.*UTC`));
  },
  "Why was he refused at 9 o'clock?": async (person) => {
    await person.enter('Wallet', wallet);
    await person.finds('The passes of the wallet');
    await person.open(wallet);
    await person.reads(/dApps refuse/);
    await person.page.getByRole('list', { name: 'Timeline' }).getByText(/UTC/).first().waitFor();
  },
  'Who froze him, and why?': async (person) => {
    await person.enter('Wallet', wallet);
    await person.finds('The passes of the wallet');
    await person.open(wallet);
    const timeline = person.page.getByRole('list', { name: 'Timeline' });
    await timeline.getByText(reason).first().waitFor();
    await timeline.getByText(/acme/).first().waitFor();
  },
  'He has only the first characters of his wallet. Which one is it?': async (person) => {
    await person.enter('Wallet', wallet.slice(0, 10).toLowerCase());
    await person.finds('The passes whose wallet begins like this');
    await row(person, wallet);
  },
  'Which customer is order 4711?': async (person) => {
    await person.enter('Or reference', reference);
    await person.finds('The newest passes with the reference');
    await row(person, wallet);
  },
  'Which passes expire this week?': async (person) => {
    await person.open('All that expire within 7 days');
    await person.finds('By expiry, the soonest first');
    await person.reads(expiring);
    expect(await person.page.getByText(wallet).count()).toBe(0);
  },
  'Which passes have expired?': async (person) => {
    await person.filter('Validity', 'expired');
    await person.reads(/By expiry, the soonest first|No pass matches these filters/);
    expect(await person.page.getByText(expiring).count()).toBe(0);
  },
  'How many passes are frozen?': async (person) => {
    await person.open('Overview');
    await person.reads(/\d frozen$/);
  },
  'What did a colleague change?': async (person) => {
    await person.open('Audit');
    const entries = person.page.getByRole('table', { name: 'Audit trail' }).locator('tbody tr');
    await entries.first().waitFor();
    // Other tests change passes of the same partner meanwhile, so the entry may be on a later page.
    for (let shown = 0; (await entries.filter({ hasText: reason }).count()) === 0; ) {
      shown = await entries.count();
      await person.page.getByRole('button', { name: 'Earlier entries' }).click();
      await entries.nth(shown).waitFor();
    }
  },
};

const DOCUMENT = readFileSync(join(PROJECT, 'docs', 'partners', 'console.md'), 'utf8');
const [, TABLE = ''] = /^## Ten questions\n(.*?)^## /ms.exec(DOCUMENT) ?? [];
const ROWS = [...TABLE.matchAll(/^\| (.*?) \| (.*?) \|$/gm)]
  .map(([, question = '', actions = '']) => ({ question, actions: actions.split(', ').length }))
  .slice(1);

it('has the answer to each question of the document', () => {
  expect(ROWS.map(({ question }) => question)).toEqual(Object.keys(ANSWERS));
  expect(ROWS).toHaveLength(10);
});

describe.each(ROWS)('$question', ({ question, actions }) => {
  it(`takes ${actions} actions`, async () => {
    const window = await open();
    await window.signIn('staff');
    await window.page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
    const person = new Person(window.page);
    await ANSWERS[question]?.(person);
    expect(person.actions).toBe(actions);
    expect(person.actions).toBeLessThanOrEqual(3);
  });
});
