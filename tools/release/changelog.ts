import { Failure } from '../../terminal/failure.ts';

/** The readers of the changelog, in the order of its sections. */
export const READERS = ['Partners', 'Operators', 'Developers'] as const;
export type Reader = (typeof READERS)[number];

const UNRELEASED = '## Unreleased';

/** Returns the changelog with the section "Unreleased" as the section of a version, and an empty "Unreleased" above it. */
export function releaseChangelog(changelog: string, version: string, date: string): string {
  if (notesOf(changelog, 'Unreleased').size === 0)
    throw new Failure('CHANGELOG.md has nothing below "Unreleased": a release needs a change');
  return changelog.replace(`${UNRELEASED}\n`, `${UNRELEASED}\n\n## ${version} (${date})\n`);
}

/**
 * Returns the notes of a version, or of "Unreleased", by reader. A reader for whom nothing changed is missing.
 * Throws Failure if the changelog has no such section, or text outside the sections of the readers.
 */
export function notesOf(changelog: string, version: string): Map<Reader, string> {
  const sections = changelog.split(/^## /m).slice(1);
  const own = sections.filter((section) => /^\S+/.exec(section)?.[0] === version);
  const [section] = own;
  if (section === undefined || own.length > 1)
    throw new Failure(`CHANGELOG.md must have one section "${version}", and has ${own.length}`);
  const [head = '', ...parts] = section.split(/^### /m);
  if (head.split('\n').slice(1).join('').trim() !== '')
    throw new Failure(`CHANGELOG.md, ${version}: text must be below one of ${READERS.join(', ')}`);
  const notes = new Map<Reader, string>();
  for (const part of parts) {
    const [title = '', ...lines] = part.split('\n');
    const reader = READERS.find((each) => each === title.trim());
    const text = lines.join('\n').trim();
    if (reader === undefined || notes.has(reader))
      throw new Failure(`CHANGELOG.md, ${version}: "${title}" must be one of ${READERS.join(', ')}, once`);
    if (text !== '') notes.set(reader, text);
  }
  return notes;
}
