import { describe, expect, it } from 'vitest';
import { projectFiles } from '../../../tools/project-files.ts';
import { fillIn, RunbookSection, sectionIn, titlesIn } from '../../runbook-section.ts';
import { textOf } from './markdown.ts';

/** Every section of the runbook has a test that creates its situation and follows its commands. */

const runbook = textOf('docs/operators/runbook.md');
const titles = titlesIn(runbook);

/** The titles that the tests rehearse, each with its test files. */
const rehearsals = Map.groupBy(
  projectFiles('test/{system,worker}/**/*.test.ts').flatMap((file) => {
    const named = textOf(file).matchAll(/\b(?:rehearse|sectionIn)\(\s*(?:runbook,\s*)?(["'])(.+?)\1/g);
    return [...named].map(([, , title = '']) => ({ title, file }));
  }),
  ({ title }) => title,
);

const isNamedIn = (title: string) => {
  const { text } = sectionIn(runbook, title);
  return (rehearsals.get(title) ?? []).some(({ file }) => text.includes(file));
};

describe('the sections of the runbook', () => {
  it('each have a rehearsal, which the section names as its test', () => {
    const without = titles.filter((title) => !isNamedIn(title));
    expect(without).toEqual([]);
    expect(titles.length).toBeGreaterThan(25);
  });

  it('have no rehearsal of a section that does not exist', () => {
    expect([...rehearsals.keys()].filter((title) => !titles.includes(title))).toEqual([]);
  });
});

describe('a section of the runbook', () => {
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
  const section = () => new RunbookSection('A section', TEXT);

  it('gives its commands in their order, and says which ones are left', () => {
    const one = section();
    expect(one.left).toHaveLength(2);
    expect(one.next('npm run one')).toBe('npm run one -- --env ENV --more');
    expect(() => one.next('npm run three')).toThrow('`npm run three` is expected, and next is: npm run two');
    one.skip('npm run two');
    expect(one.left).toEqual([]);
    expect(() => one.next('npm')).toThrow('the end of the section');
  });

  it('gives its other blocks, and the code in its sentences', () => {
    expect(section().blocks('json')).toEqual(['   {}\n']);
    expect(section().inline(/stuck/)).toBe('{"all": "stuck", "olderThan": 0}');
    expect(() => section().inline(/none/)).toThrow('no code matches');
  });

  it('has a value for each placeholder of a command, or the command does not run', () => {
    const command = `npm run x -- add KEY --env ENV -H "Bearer $TOKEN" -d '{"client": "CLIENT_ID"}'`;
    expect(fillIn(command, { KEY: 'k$&', CLIENT_ID: 'c' })).toBe(
      `npm run x -- add k$& --env ENV -H "Bearer $TOKEN" -d '{"client": "c"}'`,
    );
    expect(() => fillIn(command, { KEY: 'k' })).toThrow('no value for CLIENT_ID');
  });
});
