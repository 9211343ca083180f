import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { wranglerConfigOf } from '../../../ops/deploy/deployment-config.ts';
import { checklistOf } from '../../../ops/setup/checklist.ts';
import { PARTNER_SCOPES } from '../../../src/config/config.ts';
import { ADMIN_SCOPES } from '../../../src/config/token-rules.ts';
import { aConfig } from './environments.ts';

/** Each place that lists scopes by hand has all of them. */

const PROJECT = join(import.meta.dirname, '../../..');
const textOf = (file: string) => readFileSync(join(PROJECT, file), 'utf8');
const ofPartners = Object.values(PARTNER_SCOPES);
const ofOperators = Object.values(ADMIN_SCOPES);

it.each([
  ['the documents of the API', 'docs/partners/api.md', ofPartners],
  ['the configuration', 'docs/operators/configuration.md', [...ofPartners, ...ofOperators.map(([, scope]) => scope)]],
  ["the operator's rights", 'docs/operators/admin-api.md', ofOperators.map(([, scope]) => scope)],
])('%s have each scope', (_, file, scopes) => {
  const text = textOf(file);
  expect(scopes.filter((scope) => !text.includes(`\`${scope}\``))).toEqual([]);
});

it('`gatepass login` tries each scope of a partner', () => {
  const text = textOf('packages/cli/src/commands/login.ts');
  expect([...text.matchAll(/^ {2}\['([\w:]+)', /gm)].map(([, scope]) => scope)).toEqual(ofPartners);
});

it('a scope without a variable has its name', () => {
  expect(aConfig().tokens.scopes).toEqual(PARTNER_SCOPES);
});

it('the template of a deployment names each scope by its default, or leaves it to the code', () => {
  const { vars } = wranglerConfigOf(undefined);
  const variables = Object.entries(PARTNER_SCOPES).map(
    ([name, scope]) => [`SCOPE_${name.toUpperCase()}`, scope] as const,
  );
  for (const [variable, scope] of [...variables, ...ofOperators])
    expect([scope, ''], variable).toContain(vars[variable]);
});

it('the setup tells the operator to create each scope', () => {
  const lines = checklistOf('example').join('\n');
  for (const scope of [...ofPartners, ...ofOperators.map(([, each]) => each)])
    expect(lines).toMatch(new RegExp(`[ ,]${scope}(,|$)`, 'm'));
});
