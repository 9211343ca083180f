import { afterEach, describe, expect, it, vi } from 'vitest';
import { awaitConfirmation } from '../../../ops/emergency/await-confirmation.ts';
import { COMPROMISED, changeList, entries, nextNumber, SUSPENDED } from '../../../ops/emergency/lists.ts';
import { checkUnchanged, planChange } from '../../../ops/emergency/plan-change.ts';
import type { EffectiveLists, ObeyingSigner } from '../../../ops/emergency/unconfirmed.ts';
import { configOf } from '../../../src/config/parse-config.ts';
import { compromisedIn } from '../../../src/config/signers.ts';
import { GATEKEEPERS } from '../../../tools/localnet/ethereum/gatekeepers.ts';

const [ONE, OTHER] = GATEKEEPERS;

describe('changeList', () => {
  it.each([
    [[], ['a'], false, ['a']],
    [['a', 'b'], ['b', 'c', 'c'], false, ['a', 'b', 'c']],
    [['a', 'b'], ['b', 'c'], true, ['a']],
    [['a'], ['a'], true, []],
  ])('changes the list %j by %j (undo: %s) to %j', (known, given, isUndo, list) => {
    expect(changeList(known, given, isUndo)).toEqual(list);
  });
});

describe('the whole list of --known', () => {
  it('has canonical addresses, or clients, after a space each', () => {
    expect(entries(COMPROMISED)(` ${ONE.toLowerCase()}\n ${OTHER} `)).toEqual([ONE, OTHER]);
    expect(entries(SUSPENDED)('acme globex')).toEqual(['acme', 'globex']);
    expect(entries(SUSPENDED)('none')).toEqual([]);
  });

  it.each(['none 0x70', '0x7099'])('of addresses is refused as %j', (text) => {
    expect(() => entries(COMPROMISED)(text)).toThrow('It must be an address.');
  });

  it('of clients is refused with a character that no client has', () => {
    expect(() => entries(SUSPENDED)('acme ä')).toThrow('without a space');
  });
});

it('the Worker accepts each list that the command can set, and shows the same one', () => {
  const list = changeList([ONE], [OTHER], false);
  const config = configOf({
    DEPLOYMENT: 'local',
    TOKEN_ISSUER: 'http://127.0.0.1',
    TOKEN_AUDIENCE: 'a',
    JWKS_URL: 'http://127.0.0.1/jwks',
    TOKEN_ALGORITHMS: 'RS256',
    CLIENT_CLAIM: 'client_id',
    SCOPE_CLAIM: 'scope',
    SCOPE_SEARCH: 'search',
    SCOPE_ISSUE: 'issue',
    SCOPE_UPDATE: 'update',
    COMPROMISED_GATEKEEPERS: list.join(' '),
    SUSPENDED_CLIENTS: 'acme globex',
  });
  expect(compromisedIn(config)).toEqual(list);
  expect(config.suspendedClients).toEqual(['acme', 'globex']);
});

describe('the number of an emergency', () => {
  it.each([
    ['the time, if the service does not say the last one', undefined, 0, 5_000],
    ['the time, after an earlier one', 4_000, 4_000, 5_000],
    ['one more than the last one, if the clock is behind it', 5_000, 4_000, 5_001],
    ['one more than that of a signer, if the service has lost it', 4_000, 6_000, 6_001],
  ])('is %s', (_, emergencyNumber, obeyed, number) => {
    const signers = [{ network: 'sepolia', address: ONE, emergency: { number: obeyed, stopped: false } }];
    expect(nextNumber(emergencyNumber === undefined ? undefined : { emergencyNumber, signers }, 5_000)).toBe(number);
  });
});

describe('the list before a change', () => {
  const service = (...readings: [list: string[], number: number, obeyed: number][]) => ({
    read: async (): Promise<EffectiveLists> => {
      const [compromisedGatekeepers, emergencyNumber, number] = readings[0] ?? [[], 0, 0];
      if (readings.length > 1) readings.shift();
      const signers = [{ network: 'sepolia', address: ONE, emergency: { number, stopped: true } }];
      return { compromisedGatekeepers, emergencyNumber, suspendedClients: [], signers };
    },
    hasSecret: async () => false,
  });
  const wanted = { list: COMPROMISED, given: [OTHER], isUndo: false };

  it('is not the one of an isolate with older lists than the signers obey', async () => {
    const change = await planChange(wanted, service([[], 1, 2], [[ONE], 2, 2]));
    expect(change).toMatchObject({ known: [ONE], next: [ONE, OTHER] });
  });

  it('must be named while the service shows only an older one, and the number is still the highest', async () => {
    const later = Date.now() + 3_600_000;
    const outdated = service([[], 1, later]);
    await expect(planChange(wanted, outdated, 0)).rejects.toThrow(
      'nothing was changed: the service shows older lists than its signers obey. Name the whole list with --known',
    );
    expect(await planChange({ ...wanted, named: [ONE] }, outdated, 0)).toEqual({
      known: [ONE],
      next: [ONE, OTHER],
      number: later + 1,
    });
  });

  it('must still be the one that the operator has confirmed', async () => {
    const meanwhile = service([[], 1, 1], [[ONE], 2, 2]);
    const shown = await planChange(wanted, meanwhile);
    const now = await planChange(wanted, meanwhile);
    expect(() => checkUnchanged(shown, now)).toThrow(`nothing was changed: the list has changed to ${ONE} meanwhile`);
    expect(() => checkUnchanged(now, now)).not.toThrow();
  });
});

describe('the end of the command', () => {
  afterEach(() => void vi.restoreAllMocks());
  const signer = (address: string, emergency: ObeyingSigner['emergency']) => ({
    network: 'sepolia',
    address,
    emergency,
  });
  const obeying = (number: number) => ({ number, stopped: true });

  /** Runs the end of `compromise ONE`, with these signers of one reading after the other, and returns what it prints. */
  async function end(...readings: ObeyingSigner[][]): Promise<string> {
    const printed: string[] = [];
    vi.spyOn(console, 'log').mockImplementation((line: string) => void printed.push(line));
    const lists = (signers: ObeyingSigner[]): EffectiveLists => ({
      emergencyNumber: 2,
      compromisedGatekeepers: [ONE],
      suspendedClients: [],
      signers,
    });
    let [next = [], ...later] = readings;
    const read = async () => {
      const now = lists(next);
      [next = next, ...later] = later;
      return now;
    };
    const change = { list: COMPROMISED, next: [ONE], number: 2 };
    const fault = await awaitConfirmation(change, { read }, performance.now(), 1).catch((failure: Error) => failure);
    return [...printed, ...(fault instanceof Error ? [fault.message] : [])].join('\n');
  }

  it('waits for the signers that have older lists, and names them', async () => {
    const text = await end([signer(ONE, { number: 1, stopped: false })], [signer(ONE, obeying(2))]);
    expect(text).toMatch(/^the service has it, \d s after the command\n/);
    expect(text).toContain(`waiting: the signer of ${ONE} on sepolia does not obey the lists yet: it may still sign\n`);
    expect(text).toMatch(/\nevery signer has confirmed it, \d s after the command$/);
  });

  it('fails if a signer does not answer, and says which ones may still sign', async () => {
    const text = await end([signer(ONE, null), signer(OTHER, { number: 2, stopped: false })]);
    expect(text).toContain(
      `COMPROMISED_GATEKEEPERS is set, and a signer has not confirmed it: the signer of ${ONE} on sepolia does not answer: it may still sign.`,
    );
    expect(text).not.toContain(OTHER);
    expect(text).not.toContain('every signer has confirmed it');
  });

  it('fails if a signer has the number and still signs with the key, has other lists, or is of an older release', async () => {
    expect(await end([signer(ONE, obeying(1))])).toContain('does not obey the lists yet: it signs nothing');
    expect(await end([signer(ONE, { number: 2, stopped: false })])).toContain('it may still sign');
    expect(await end([signer(OTHER, undefined)])).toContain(`the signer of ${OTHER} on sepolia does not answer`);
  });

  it('fails if a signer obeys a higher number, and says how to get past it', async () => {
    const text = await end([signer(ONE, { number: 3, stopped: false })]);
    expect(text).toContain(`the signer of ${ONE} on sepolia obeys newer lists: it may still sign. `);
    expect(text).toMatch(/Run the command again with --known and the whole list: .* a higher number than they have$/);
    expect(text).not.toContain('Run `list`');
  });

  it('fails if a signer is still stopped that the list no longer names', async () => {
    const text = await end([signer(ONE, obeying(2)), signer(OTHER, obeying(2))]);
    expect(text).toContain(
      `a signer has not confirmed it: the signer of ${OTHER} on sepolia does not obey the lists yet`,
    );
    expect(text).toContain('it signs nothing');
  });

  it('fails if another command has replaced the list, and says so', async () => {
    const read = async (): Promise<EffectiveLists> => ({
      emergencyNumber: 3,
      compromisedGatekeepers: [OTHER],
      suspendedClients: [],
      signers: [],
    });
    const change = { list: COMPROMISED, next: [ONE], number: 2 };
    await expect(awaitConfirmation(change, { read }, performance.now(), 1, 100)).rejects.toThrow(
      `(COMPROMISED_GATEKEEPERS: ${OTHER}). Another command has replaced it: run the command again`,
    );
  });

  it('does not wait for other keys to be stopped', async () => {
    expect(await end([signer(ONE, obeying(2)), signer(OTHER, { number: 2, stopped: false })])).toContain(
      'every signer has confirmed it',
    );
  });
});
