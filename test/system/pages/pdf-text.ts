import { inflateSync } from 'node:zlib';

/**
 * Reads the text of a PDF that Chromium printed: the letters that lie on their page and inside the parts that clip them. A letter that the paper or
 * a box cuts off is in the file, but no reader sees it. It knows the operators of Chromium's printer, not all of PDF.
 */

type Matrix = readonly [number, number, number, number, number, number];
type Point = readonly [number, number];

interface Box {
  readonly left: number;
  readonly bottom: number;
  readonly right: number;
  readonly top: number;
}

interface PdfObject {
  readonly head: string;
  readonly stream: Buffer | undefined;
}

type Objects = ReadonlyMap<number, PdfObject>;

interface Font {
  /** The widths of glyphs in thousandths of the size of the font. */
  readonly widths: ReadonlyMap<number, number>;
  readonly texts: ReadonlyMap<number, string>;
}

/** Returns the text of all pages that a reader sees, in the order in which it was drawn, in the form of `withoutSpace`. */
export function visibleTextOf(pdf: Buffer): string {
  const objects = objectsOf(pdf);
  const pages = [...objects.values()].filter(({ head }) => /\/Type \/Page\s/.test(head));
  const texts = pages.map(({ head }) => {
    const [left = 0, bottom = 0, right = 0, top = 0] = numbersIn(/\/MediaBox \[([^\]]*)\]/.exec(head)?.[1]);
    const state = { matrix: IDENTITY, clip: { left, bottom, right, top } };
    return visibleText(referred(head, 'Contents', objects), state, objects);
  });
  return withoutSpace(texts.join(''));
}

/** Lines break at other places on paper, and two letters may be drawn as one. */
export const withoutSpace = (text: string): string => text.normalize('NFKC').replaceAll(/[\s\u200B\u00AD]/g, '');

const numbersIn = (text = '') => (text.match(/-?[\d.]+/g) ?? []).map(Number);

function objectsOf(pdf: Buffer): Objects {
  const text = pdf.toString('latin1');
  const objects = new Map<number, PdfObject>();
  for (const { 0: opening, 1: number, index } of text.matchAll(/(?<=\n)(\d+) 0 obj\n/g)) {
    const start = index + opening.length;
    const [end, body] = [text.indexOf('endobj', start), text.indexOf('stream\n', start)];
    const hasStream = body >= 0 && body < end;
    const head = text.slice(start, hasStream ? body : end);
    const first = body + 'stream\n'.length;
    const bytes = pdf.subarray(first, first + Number(/\/Length (\d+)/.exec(head)?.[1]));
    const stream = head.includes('/FlateDecode') && !head.includes('/Image') ? inflateSync(bytes) : bytes;
    objects.set(Number(number), { head, stream: hasStream ? stream : undefined });
  }
  return objects;
}

/** Returns the object to which the first reference under that name leads. */
function referred(head: string, name: string, objects: Objects): PdfObject {
  const [, number] = new RegExp(`/${name} \\[?(\\d+) 0 R`).exec(head) ?? [];
  const object = objects.get(Number(number));
  if (object === undefined) throw new Error(`the PDF has no ${name}`);
  return object;
}

/** A name of a resource, such as `/F4`, ends with the number of its object. */
const numberOf = (name = '') => Number(name.slice(2));

function fontOf({ head }: PdfObject, objects: Objects): Font {
  if (!head.includes('/Type0')) throw new Error(`the PDF has a font of another kind: ${head}`);
  const [, widths = ''] = /\/W \[(.*)\]/s.exec(referred(head, 'DescendantFonts', objects).head) ?? [];
  const map = referred(head, 'ToUnicode', objects).stream?.toString('latin1') ?? '';
  return { widths: widthsOf(widths), texts: textsOf(map) };
}

/** The list has `first [width …]` or `first last width`. */
function widthsOf(list: string): ReadonlyMap<number, number> {
  const widths = new Map<number, number>();
  for (const [, first, each, last, same] of list.matchAll(/(\d+) (?:\[([^\]]*)\]|(\d+) ([\d.]+))/g)) {
    for (const [index, width] of numbersIn(each).entries()) widths.set(Number(first) + index, width);
    if (last !== undefined)
      for (let glyph = Number(first); glyph <= Number(last); glyph += 1) widths.set(glyph, Number(same));
  }
  return widths;
}

/** The map has lines `<glyph> <text>` and `<first> <last> <text of the first>`. */
function textsOf(map: string): ReadonlyMap<number, string> {
  const texts = new Map<number, string>();
  for (const [, first = '', second = '', third] of map.matchAll(/^<(\w+)> <(\w+)>(?: <(\w+)>)?$/gm)) {
    const [start, end] = [Number.parseInt(first, 16), Number.parseInt(third === undefined ? first : second, 16)];
    const units = Buffer.from(third ?? second, 'hex')
      .swap16()
      .toString('utf16le');
    for (let glyph = start; glyph <= end; glyph += 1)
      texts.set(glyph, units.slice(0, -1) + String.fromCharCode(units.charCodeAt(units.length - 1) + glyph - start));
  }
  return texts;
}

const product = (a: Matrix, b: Matrix): Matrix => [
  a[0] * b[0] + a[1] * b[2],
  a[0] * b[1] + a[1] * b[3],
  a[2] * b[0] + a[3] * b[2],
  a[2] * b[1] + a[3] * b[3],
  a[4] * b[0] + a[5] * b[2] + b[4],
  a[4] * b[1] + a[5] * b[3] + b[5],
];

const moved = ([x, y]: Point, [a, b, c, d, e, f]: Matrix): Point => [a * x + c * y + e, b * x + d * y + f];

const isIn = ([x, y]: Point, { left, bottom, right, top }: Box) => x >= left && x <= right && y >= bottom && y <= top;

/** Returns the part of the box in which the shape of these corners is. */
function clipped(box: Box, corners: readonly Point[]): Box {
  const [xs, ys] = [corners.map(([x]) => x), corners.map(([, y]) => y)];
  return {
    left: Math.max(box.left, Math.min(...xs)),
    bottom: Math.max(box.bottom, Math.min(...ys)),
    right: Math.min(box.right, Math.max(...xs)),
    top: Math.min(box.top, Math.max(...ys)),
  };
}

const IDENTITY: Matrix = [1, 0, 0, 1, 0, 0];

interface State {
  readonly matrix: Matrix;
  readonly clip: Box;
}

/** Follows the operators of a page, or of a part of one. Returns each letter whose middle is inside the page and all clips. */
function visibleText({ head, stream }: PdfObject, start: State, objects: Objects): string {
  if (head.includes('/Image')) return '';
  let text = '';
  let state = start;
  const saved: State[] = [];
  const fonts = new Map<number, Font>();
  let corners: Point[] = [];
  let operands: string[] = [];
  let [font, size] = [undefined as Font | undefined, 0];
  let [line, x] = [IDENTITY, 0];
  const numbers = () => operands.map(Number);
  const addCorners = (...points: Point[]) => corners.push(...points.map((point) => moved(point, state.matrix)));
  const draw = (hex: string) => {
    for (const unit of hex.match(/\w{4}/g) ?? []) {
      const glyph = Number.parseInt(unit, 16);
      const width = ((font?.widths.get(glyph) ?? 0) * size) / 1_000;
      const middle = moved([x + width / 2, 0], product(line, state.matrix));
      if (isIn(middle, state.clip)) text += font?.texts.get(glyph) ?? '';
      x += width;
    }
  };
  const operators: Readonly<Record<string, () => void>> = {
    q: () => saved.push(state),
    Q: () => {
      state = saved.pop() ?? state;
    },
    cm: () => {
      state = { ...state, matrix: product(numbers() as unknown as Matrix, state.matrix) };
    },
    re: () => {
      const [left = 0, bottom = 0, width = 0, height = 0] = numbers();
      const [right, top] = [left + width, bottom + height];
      addCorners([left, bottom], [right, bottom], [left, top], [right, top]);
    },
    m: () => addCorners(numbers() as unknown as Point),
    l: () => addCorners(numbers() as unknown as Point),
    c: () => addCorners(numbers().slice(4) as unknown as Point),
    'W*': () => {
      state = { ...state, clip: clipped(state.clip, corners) };
    },
    Tf: () => {
      const number = numberOf(operands[0]);
      font = fonts.get(number) ?? fontOf(objects.get(number) ?? { head: '', stream: undefined }, objects);
      fonts.set(number, font);
      size = Number(operands[1]);
    },
    Tm: () => {
      [line, x] = [numbers() as unknown as Matrix, 0];
    },
    Td: () => {
      const [right = 0, up = 0] = numbers();
      [line, x] = [product([1, 0, 0, 1, right, up], line), 0];
    },
    Tj: () => draw(operands[0] ?? ''),
    Do: () => {
      const part = objects.get(numberOf(operands[0]));
      if (part !== undefined) text += visibleText(part, state, objects);
    },
  };
  for (const [token] of (stream?.toString('latin1') ?? '').matchAll(
    /\/?[^\s<>[\]()/]+|<[\dA-F]*>|<<|>>|[[\]]|\((?:\\.|[^\\)])*\)/g,
  )) {
    if (/^[-\d./<[(]/.test(token)) {
      operands.push(token);
      continue;
    }
    if (/^(?:TJ|'|")$/.test(token)) throw new Error(`the PDF has the operator ${token}`);
    (token === 'W' ? operators['W*'] : operators[token])?.();
    if (/^(?:n|f\*?|S|s|B\*?)$/.test(token)) corners = [];
    operands = [];
  }
  return text;
}
