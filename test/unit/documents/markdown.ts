import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { projectFiles } from '../../../tools/project-files.ts';

const PROJECT = join(import.meta.dirname, '../../..');

/** Every Markdown file of the project, named from the project's folder. */
export const DOCUMENTS: readonly string[] = projectFiles('**/*.md');

/**
 * Returns the content of the fenced code blocks of that language.
 * @param tab Only the blocks of this tab, and those outside tabs. A block of a tab has its name: ```` ```sh [curl] ````.
 */
export function codeBlocks(text: string, language: string, tab = '[^\\]\\n]+'): string[] {
  const blocks = text.matchAll(new RegExp(`^( *)\`\`\`${language}(?: \\[${tab}\\])?\\n([\\s\\S]*?)^\\1\`\`\``, 'gm'));
  return [...blocks].map(([, , code = '']) => code);
}

/** Returns the rows of the tables in the text, each with its cells, without the line below a heading. */
export function tableRows(text: string): string[][] {
  const lines = text.split('\n').filter((line) => line.startsWith('|') && !/^\|[\s|:-]+\|$/.test(line));
  return lines.map((line) =>
    line
      .split(/(?<!\\)\|/)
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

export const textOf = (file: string) => readFileSync(join(PROJECT, file), 'utf8');
