import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { describeProblem } from '../../../pages/console/api/problem.ts';
import { OPERATOR_ACTIONS, PARTNER_ACTIONS, wordsFor } from '../../../pages/console/layout/words.ts';
import { PROBLEMS } from '../../../src/http/protocol/problem.ts';
import { EVENT_TYPES, EVENTS_DELETED, FEED_TYPES } from '../../../src/pass/vocabulary.ts';
import { PROJECT } from '../../../terminal/wrangler.ts';

/** The words of the console for people. */

const DOCUMENT = JSON.parse(readFileSync(join(PROJECT, 'docs/operators/openapi.json'), 'utf8'));
const ACTIONS: readonly string[] = DOCUMENT.components.schemas.AuditEntry.properties.action['x-extensible-enum'];

/** Words that only a program needs: methods, paths, headers, and names of fields. */
const FOR_PROGRAMS =
  /\b(GET|POST|PATCH|PUT|DELETE|HEAD|Retry-After|Authorization|Content-Type|KiB)\b|"errors"|"oldest"|\/\w+|[a-z][A-Z]\w+/;

it.each([...EVENT_TYPES, ...FEED_TYPES, EVENTS_DELETED, 'webhook.test', ...ACTIONS])('names %s in words', (type) => {
  expect(wordsFor(type)).toMatch(/^[A-Z][a-z ]+$/);
  expect(wordsFor(type)).not.toMatch(/token|initiated|reorg/i);
});

it('says "issued" and "issuance requested", and reads the name of a type of a later release', () => {
  expect(wordsFor('TOKEN_ISSUED_INITIATED')).toBe('Issuance requested');
  expect([wordsFor('TOKEN_ISSUED'), wordsFor('pass.issued')]).toEqual(['Issued', 'Issued']);
  expect(wordsFor('pass.moved_away')).toBe('Pass moved away');
  expect(wordsFor('constructor')).toBe('Constructor');
});

it('offers every action of the trails as a filter', () => {
  expect(new Set([...Object.keys(PARTNER_ACTIONS), ...Object.keys(OPERATOR_ACTIONS)])).toEqual(new Set(ACTIONS));
});

describe('a problem', () => {
  it.each(Object.entries(PROBLEMS))('%s has no words for programs', (code, { detail }) => {
    const text = describeProblem({ code, detail });
    expect(text.replaceAll('dApps', '')).not.toMatch(FOR_PROGRAMS);
    expect(text).toMatch(/^[A-Z].*\.$/);
    // The console shows it a second time in the results of a file.
    expect(describeProblem({ code, detail: text })).toBe(text);
    const [first = ''] = detail.split('. ');
    if (!/KiB|cursor|maxAge|header/.test(first)) expect(text).toContain(first);
  });

  it('of a wallet without a pass says to issue one', () => {
    const { detail } = PROBLEMS.pass_not_found;
    expect(describeProblem({ code: 'pass_not_found', detail })).toBe(
      'The wallet has no pass on this network. Issue one.',
    );
  });
});
