import { describe, expect, it } from 'vitest';
import { fillIn, RunbookPage } from '../../runbook-page.ts';

/** The rehearsals of the runbook read its pages with this. */

describe('a page of the runbook', () => {
  const TEXT = [
    '1. Say `{"all": "stuck",',
    '   "olderThan": 0}`.',
    '   ```sh',
    '   npm run one -- --env ENV \\',
    '     --more',
    '   npm run two',
    '   ```',
    '   ```json',
    '   {}',
    '   ```',
    '',
  ].join('\n');
  const page = () => new RunbookPage('A page', TEXT);

  it('gives its commands in their order, and says which ones are left', () => {
    const one = page();
    expect(one.left).toHaveLength(2);
    expect(one.next('npm run one')).toBe('npm run one -- --env ENV --more');
    expect(() => one.next('npm run three')).toThrow('`npm run three` is expected, and next is: npm run two');
    one.skip('npm run two');
    expect(one.left).toEqual([]);
    expect(() => one.next('npm')).toThrow('the end of the page');
  });

  it('gives its other blocks, and the code in its sentences', () => {
    expect(page().blocks('json')).toEqual(['   {}\n']);
    expect(page().inline(/stuck/)).toBe('{"all": "stuck", "olderThan": 0}');
    expect(() => page().inline(/none/)).toThrow('no code matches');
  });

  it('has a value for each placeholder of a command, or the command does not run', () => {
    const command = `npm run x -- add KEY --env ENV -H "Bearer $TOKEN" -d '{"client": "CLIENT_ID"}'`;
    expect(fillIn(command, { KEY: 'k$&', CLIENT_ID: 'c' })).toBe(
      `npm run x -- add k$& --env ENV -H "Bearer $TOKEN" -d '{"client": "c"}'`,
    );
    expect(() => fillIn(command, { KEY: 'k' })).toThrow('no value for CLIENT_ID');
  });
});
