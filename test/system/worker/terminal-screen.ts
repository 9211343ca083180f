/** The parameters and the letter of a control sequence (ECMA-48), a title of the window, or a single character. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the codes of a terminal.
const PART = /\x1b\[([?>=]?[\d;]*)([@-~])|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\s\S]/gu;

interface Row {
  readonly cells: string[];
  /** Whether its text continues in the next row, because the terminal is too narrow. */
  continues: boolean;
}

/** Returns the rows of a terminal's screen after this output, from the top. Throws at a code that it does not know. */
function screenAfter(output: string, height: number, width: number): readonly Row[] {
  const rows: Row[] = [];
  let [row, column] = [0, 0];
  const rowAt = (index: number): Row => {
    while (rows.length <= index) rows.push({ cells: [], continues: false });
    return rows[index] as Row;
  };
  const top = () => Math.max(0, rows.length - height);
  const write = (character: string) => {
    if (column === width) {
      rowAt(row).continues = true;
      [row, column] = [row + 1, 0];
    }
    rowAt(row).cells[column] = character;
    column += 1;
  };
  const clear = (index: number, from: number, to: number) => {
    const { cells } = rowAt(index);
    for (let at = from; at < Math.min(to, cells.length); at += 1) cells[at] = ' ';
  };
  const control = (letter: string, parameters: string) => {
    const [first = 0, second = 0] = parameters.split(';').map(Number);
    const count = Math.max(1, first);
    if (letter === 'A') row = Math.max(top(), row - count);
    else if (letter === 'B') row += count;
    else if (letter === 'C') column = Math.min(width - 1, column + count);
    else if (letter === 'D') column = Math.max(0, column - count);
    else if (letter === 'G') column = count - 1;
    else if (letter === 'H') [row, column] = [top() + count - 1, Math.max(1, second) - 1];
    else if (letter === 'K') clear(row, first === 0 ? column : 0, first === 1 ? column + 1 : width);
    else if (letter === 'J') {
      clear(row, first === 0 ? column : 0, width);
      for (let other = first === 0 ? row + 1 : top(); other < rows.length; other += 1)
        if (other !== row) clear(other, 0, width);
    } else if (!/[mhl]/.test(letter)) throw new Error(`the code ${parameters}${letter} is unknown`);
  };
  for (const [part, parameters, letter] of output.matchAll(PART)) {
    if (letter !== undefined) control(letter, parameters ?? '');
    else if (part === '\n') row += 1;
    else if (part === '\r') column = 0;
    else if (part === '\b') column = Math.max(0, column - 1);
    else if (part >= ' ') write(part);
    rowAt(row);
  }
  return rows.slice(top());
}

/** Returns the lines of text on a terminal's screen after this output, as somebody copies them: without the breaks of a narrow terminal. */
export function linesOnScreen(output: string, height: number, width: number): readonly string[] {
  const lines: string[] = [];
  let isNew = true;
  for (const { cells, continues } of screenAfter(output, height, width)) {
    const text = Array.from(cells, (cell) => cell ?? ' ').join('');
    const shown = continues ? text : text.trimEnd();
    if (isNew) lines.push(shown);
    else lines.push(`${lines.pop()}${shown}`);
    isNew = !continues;
  }
  return lines;
}
