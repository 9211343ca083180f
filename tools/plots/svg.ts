/** Pictures of numbers as SVG, with a background of their own, so that they read well in a light and in a dark page. */

export const WIDTH = 760;
const BACKGROUND = '#ffffff';
export const INK = '#24292f';
export const MUTED = '#57606a';
export const LINE = '#d0d7de';
export const ACCENT = '#0b6bcb';
export const PEERS = ['#8c959f', '#bc8f00'] as const;

export interface TextOptions {
  readonly size?: number;
  readonly fill?: string;
  readonly anchor?: 'start' | 'middle' | 'end';
  readonly weight?: 400 | 600;
}

const escaped = (text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
/** Whole tenths of a pixel, so that every machine draws the same text. */
const px = (number: number) => String(Math.round(number * 10) / 10);

export function text(x: number, y: number, words: string, options: TextOptions = {}): string {
  const { size = 13, fill = INK, anchor = 'start', weight = 400 } = options;
  return `<text x="${px(x)}" y="${px(y)}" font-size="${size}" fill="${fill}" text-anchor="${anchor}" font-weight="${weight}">${escaped(words)}</text>`;
}

export const rectangle = (x: number, y: number, width: number, height: number, fill: string): string =>
  `<rect x="${px(x)}" y="${px(y)}" width="${px(width)}" height="${px(height)}" rx="2" fill="${fill}"/>`;

export const line = (x1: number, y1: number, x2: number, y2: number, stroke = LINE): string =>
  `<line x1="${px(x1)}" y1="${px(y1)}" x2="${px(x2)}" y2="${px(y2)}" stroke="${stroke}"/>`;

export const path = (points: readonly (readonly [number, number])[], stroke: string): string =>
  `<polyline points="${points.map(([x, y]) => `${px(x)},${px(y)}`).join(' ')}" fill="none" stroke="${stroke}" stroke-width="2.5"/>`;

export const dot = (x: number, y: number, fill: string): string =>
  `<circle cx="${px(x)}" cy="${px(y)}" r="4" fill="${fill}"/>`;

/** Returns the picture with its title on top. The title is also what a reader who sees nothing hears. */
export function picture(title: string, height: number, parts: readonly string[]): string {
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" height="${height}" role="img" font-family="system-ui, sans-serif">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${WIDTH}" height="${height}" rx="6" fill="${BACKGROUND}"/>`,
    text(20, 32, title, { size: 16, weight: 600 }),
    ...parts,
    '</svg>\n',
  ].join('\n');
}

export interface Bar {
  readonly label: string;
  readonly value: number;
  /** The number as people read it, behind the bar. */
  readonly shown: string;
  readonly fill: string;
}

const [LABELS_END, BARS_END, BAR, GAP] = [210, 640, 15, 4];

/** Returns horizontal bars from `top` on, the longest as long as the room, and the place below them. */
export function bars(
  top: number,
  all: readonly Bar[],
  longest: number,
): { readonly parts: string[]; readonly end: number } {
  const parts = all.flatMap(({ label, value, shown, fill }, index) => {
    const y = top + index * (BAR + GAP);
    const width = Math.max(2, ((BARS_END - LABELS_END) * value) / longest);
    return [
      text(LABELS_END - 10, y + 12, label, { anchor: 'end' }),
      rectangle(LABELS_END, y, width, BAR, fill),
      text(LABELS_END + width + 8, y + 12, shown, { size: 12, fill: MUTED }),
    ];
  });
  return { parts, end: top + all.length * (BAR + GAP) };
}
