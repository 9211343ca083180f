import { expect, it } from 'vitest';
import { notesOf, releaseChangelog } from '../../../../tools/release/changelog.ts';
import { textOf } from '../../package-files.ts';

const CHANGELOG = `# Changelog

The newest release is first.

## Unreleased

### Partners

- One.
  More of one.

### Operators

- Two.

## 0.1.0

### Developers

- Three.
`;

it('turns "Unreleased" into the section of the version, below a new "Unreleased"', () => {
  const text = releaseChangelog(CHANGELOG, '1.0.0-rc.1', '2026-11-27');
  expect(text).toContain('## Unreleased\n\n## 1.0.0-rc.1 (2026-11-27)\n\n### Partners\n\n- One.');
  expect(text.replace('\n\n## 1.0.0-rc.1 (2026-11-27)', '')).toBe(CHANGELOG);
  expect(notesOf(text, '1.0.0-rc.1')).toEqual(notesOf(CHANGELOG, 'Unreleased'));
  expect(notesOf(text, 'Unreleased')).toEqual(new Map());
});

it('returns the notes of each reader', () => {
  expect(notesOf(CHANGELOG, 'Unreleased')).toEqual(
    new Map([
      ['Partners', '- One.\n  More of one.'],
      ['Operators', '- Two.'],
    ]),
  );
  expect(notesOf(CHANGELOG, '0.1.0')).toEqual(new Map([['Developers', '- Three.']]));
});

it.each([
  ['nothing below "Unreleased"', (text: string) => text.replace(/### Partners[\s\S]*- Two\.\n/, '')],
  ['no section "Unreleased"', (text: string) => text.replace('## Unreleased', '## Other')],
  ['two sections "Unreleased"', (text: string) => text.replace('## 0.1.0', '## Unreleased')],
  [
    'text outside the sections of the readers',
    (text: string) => text.replace('\n### Partners', 'Lost.\n\n### Partners'),
  ],
  ['another reader', (text: string) => text.replace('### Operators', '### Others')],
  ['a reader twice', (text: string) => text.replace('### Operators', '### Partners')],
])('refuses a changelog with %s', (_, change) => {
  expect(() => releaseChangelog(change(CHANGELOG), '1.0.0', '2026-11-27')).toThrow('CHANGELOG.md');
});

it('reads the changelog of the project', () => {
  expect(() => notesOf(textOf('CHANGELOG.md'), 'Unreleased')).not.toThrow();
});
