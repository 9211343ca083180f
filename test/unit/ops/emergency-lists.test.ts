import { describe, expect, it } from 'vitest';
import { COMPROMISED, changeList, entries, SUSPENDED } from '../../../ops/emergency/lists.ts';
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
