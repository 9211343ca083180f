/** The code blocks of a page: the fence's indentation, its language and its content. */
const BLOCK = /^( *)```(\w*)\n([\s\S]*?)^\1```/gm;

/** A page of the runbook. A rehearsal takes its commands in the order of the document. */
export class RunbookPage {
  readonly title: string;
  /** Without its heading. */
  readonly text: string;
  readonly #commands: string[];

  constructor(title: string, text: string) {
    this.title = title;
    this.text = text;
    this.#commands = this.blocks('sh').flatMap((block) =>
      block
        .replaceAll(/\\\n\s*/g, '')
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== ''),
    );
  }

  /** Returns the next command of the `sh` blocks. Throws if it does not begin with that text: the page has changed. */
  next(start: string): string {
    const [command = 'the end of the page'] = this.#commands;
    if (!command.startsWith(start)) throw new Error(`${this.title}: \`${start}\` is expected, and next is: ${command}`);
    this.#commands.shift();
    return command;
  }

  /** Leaves the next command out, because another rehearsal of the page runs it. */
  skip(start: string): void {
    this.next(start);
  }

  /** Returns the commands that the rehearsal has not taken. */
  get left(): readonly string[] {
    return this.#commands;
  }

  /** Returns the code blocks of a language, like `json`; '' for blocks without one. */
  blocks(language: string): string[] {
    return [...this.text.matchAll(BLOCK)].filter(([, , name]) => name === language).map(([, , , code = '']) => code);
  }

  /** Returns the first code within a sentence that the pattern matches, like a body of JSON. Throws if there is none. */
  inline(pattern: RegExp): string {
    const codes = [...this.text.replaceAll(BLOCK, '').matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
    const found = codes.find((code) => pattern.test(code));
    if (found === undefined) throw new Error(`${this.title}: no code matches ${pattern}`);
    return found.replaceAll(/\s+/g, ' ');
  }
}

/** Returns the page of the runbook with this title. Throws if there is none. */
export function pageIn(pages: readonly string[], title: string): RunbookPage {
  const text = pages.find((each) => each.startsWith(`# ${title}\n`));
  if (text === undefined) throw new Error(`the runbook has no page "${title}"`);
  return new RunbookPage(title, text.slice(title.length + 3));
}

/** Returns the command with values for its placeholders, which are words in capitals. Throws if one has no value. */
export function fillIn(command: string, values: Readonly<Record<string, string>>): string {
  const filled = Object.entries(values).reduce(
    (text, [name, value]) => text.replaceAll(new RegExp(`(?<![$\\w])${name}\\b(?!-)`, 'g'), () => value),
    command,
  );
  const open = command
    .match(/(?<![$\w-])[A-Z][A-Z_]{1,}\b(?![-_])/g)
    ?.find((word) => !KEPT.has(word) && !(word in values));
  if (open !== undefined) throw new Error(`no value for ${open} in: ${command}`);
  return filled;
}

/** Words in capitals that are no placeholders: methods, the first shard, and the environment, which the terminal replaces. */
const KEPT = new Set(['GET', 'POST', 'PATCH', 'PUT', 'DELETE', 'DB', 'ENV']);
