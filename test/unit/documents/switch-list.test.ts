import { describe, expect, it } from 'vitest';
import { tableRows, textOf } from './markdown.ts';

/** The switch list says of Civic's React packages what `npm run test:packages` has seen. */

interface Outcome {
  readonly package: string;
  readonly version: string;
  readonly civic: 'nothing' | 'only the slot';
  readonly gatewayStatus: string;
  readonly hosts: readonly string[];
}

const FOLDER = 'test/packages/civic-react';
const outcomes: readonly Outcome[] = JSON.parse(textOf(`${FOLDER}/outcomes.json`));
const { dependencies } = JSON.parse(textOf(`${FOLDER}/package.json`)) as { dependencies: Record<string, string> };
const [, list = ''] = textOf('docs/partners/from-civic.md').split('\n## The switch list\n');
const rows = tableRows(list.split('\n## ')[0] ?? '');
const [place = '', advice = ''] = rows.find(([first = '']) => first.includes('gateway-react')) ?? [];

describe('the row about the React packages of Civic', () => {
  it('names the packages that the run renders, in the versions that it installs', () => {
    const named = [...place.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    expect(named.toSorted()).toEqual([...new Set(outcomes.map((each) => each.package))].toSorted());
    for (const { package: name, version } of outcomes) {
      expect(dependencies[name]).toBe(version);
      expect(advice).toContain(`\`${name}\` ${version}`);
    }
  });

  it('says what each package shows for an active gateway token without Civic', () => {
    const shown = outcomes.map(({ package: name, civic, gatewayStatus }) => `${name}, ${civic}: ${gatewayStatus}`);
    expect(shown).toEqual([
      '@civic/ethereum-gateway-react, nothing: UNKNOWN',
      '@civic/ethereum-gateway-react, only the slot: ERROR',
      '@civic/solana-gateway-react, nothing: ERROR',
    ]);
    expect(advice).toMatch(/Without them, `@civic\/ethereum-gateway-react` \S+ gets no slot and shows `UNKNOWN`\./);
    expect(advice).toMatch(/With a slot it shows `ERROR`, as `@civic\/solana-gateway-react` \S+ does/);
    for (const { hosts } of outcomes) expect(hosts).toContain('api.civic.com');
  });

  it('does not say that a new constant is enough, and names what works', () => {
    expect(advice).toContain('a new constant in `gatekeeperNetwork` is not enough');
    expect(advice).toContain('(api.md#check-a-pass-in-public)');
    const others = rows.map(([first = '']) => first).filter((first) => first !== place);
    for (const client of ['@identity.com/gateway-eth-ts', '@identity.com/solana-gateway-ts'])
      expect(others.filter((first) => first.includes(client))).toHaveLength(1);
  });
});
