/** CSV files as spreadsheets and people write them. The command and the console read the same ones. */

export const WALLETS = [
  '0x52908400098527886E0F7030069857D2E4169EE7',
  '0x8617E340B3D01FA5F11F306F4090FD50E238070D',
] as const;
const [first, second] = WALLETS;

/** Returns a text in UTF-16, with a byte order mark if the text begins with one. */
export function utf16(text: string, order: 'LE' | 'BE'): Buffer {
  const bytes = Buffer.from(text, 'utf16le');
  return order === 'LE' ? bytes : bytes.swap16();
}

/** A header and the two wallets on sepolia, with a note in a column that nobody reads. */
function fileWith(
  separator: string,
  { end = '\r\n', note = 'a note', more = [] as readonly string[], added = '' } = {},
): string {
  const rows = [
    ['walletAddress', 'network', 'note'],
    [first, 'sepolia', note],
    [second, 'sepolia', note],
  ];
  return [...rows.map((row) => row.map((cell) => added + cell + added).join(separator)), ...more, ''].join(end);
}

/** Files with exactly these two wallets, and the number of their rows without content. */
export const READABLE: readonly (readonly [name: string, content: string | Buffer, emptyRows: number])[] = [
  ['with semicolons', fileWith(';'), 0],
  ['with semicolons and commas in the texts', fileWith(';', { note: 'a, b, c, d and "e"'.replaceAll('"', '') }), 0],
  ['with semicolons and commas in the header', fileWith(';').replace('note', 'first, second, third, fourth'), 0],
  ['with commas and semicolons in the texts', fileWith(',', { note: 'a; b; c; d; e; f; g' }), 0],
  ['with quotes and semicolons', fileWith(';').replace(/[^;\r\n]+/g, '"$&"'), 0],
  ['with tabs', fileWith('\t'), 0],
  ['with tabs and empty cells', fileWith('\t', { note: '' }), 0],
  ['with vertical bars', fileWith('|'), 0],
  ['with spaces and invisible characters around the cells', fileWith(',', { added: '\u00a0\u200b' }), 0],
  ['with typographic quotes around the cells', fileWith(',', { added: '”' }), 0],
  ['with prefixes in upper case', fileWith(',').replaceAll('0x', '0X'), 0],
  ['with the line sep=,', `sep=,\r\n${fileWith(',')}`, 0],
  ['with the line sep=;', `sep=;\r\n${fileWith(';')}`, 0],
  ['with the line sep= and a tab', `sep=\t\r\n${fileWith('\t')}`, 0],
  ['with the line sep=^', `SEP=^\r\n${fileWith('^')}`, 0],
  ['with the quoted line sep=|', `"sep=|"\n${fileWith('|', { end: '\n' })}`, 0],
  ['with a byte order mark and the line sep=;', `\ufeffsep=;\r\n${fileWith(';')}`, 0],
  ['in UTF-8 with a byte order mark', `\ufeff${fileWith(',')}`, 0],
  ['in UTF-8 with a byte order mark and quotes', `\ufeff${fileWith(',').replace(/[^,\r\n]+/g, '"$&"')}`, 0],
  [
    'in UTF-16 LE with tabs, as the Unicode text of Excel',
    utf16(`\ufeff${fileWith('\t', { note: 'Jürgen 山' })}`, 'LE'),
    0,
  ],
  ['in UTF-16 BE with semicolons', utf16(`\ufeff${fileWith(';', { note: 'Jürgen 山' })}`, 'BE'), 0],
  ['in UTF-16 LE without a byte order mark', utf16(fileWith('\t'), 'LE'), 0],
  ['in UTF-16 BE without a byte order mark', utf16(fileWith(','), 'BE'), 0],
  ['in UTF-16 LE with the line sep=;', utf16(`\ufeffsep=;\r\n${fileWith(';')}`, 'LE'), 0],
  [
    'in Windows-1252, with letters in a column that is not read',
    Buffer.from(fileWith(';', { note: 'Jürgen' }), 'latin1'),
    0,
  ],
  ['with line ends of old Macs', fileWith(',', { end: '\r' }), 0],
  ['with rows of separators below', fileWith(',', { more: [',,', ',,'] }), 2],
  ['with rows of separators and spaces', fileWith(';', { more: [' ; ;\t', '   ', ';;'] }), 3],
  ['with rows of quoted spaces', fileWith(',', { more: ['" ","",""', '"\u00a0",,'] }), 2],
  ['with empty rows of another width', fileWith(',', { more: [',', ',,,,,,'] }), 2],
  ['with empty rows above the header', `,,\r\n\r\n${fileWith(',')}`, 2],
  ['with empty columns at the right', fileWith(',').replace(/(?=\r\n)/g, ',,'), 0],
];

/** Headers with a repeated name, and the numbers of the two columns. */
export const REPEATED: readonly (readonly [header: string, one: number, other: number])[] = [
  ['walletAddress,network,walletAddress', 1, 3],
  ['walletAddress,network,WALLETADDRESS', 1, 3],
  ['walletAddress,network,Network,note', 2, 3],
  ['network,walletAddress," walletAddress "', 2, 3],
  ['walletAddress,network,wallet\u200bAddress', 1, 3],
  ['walletAddress,network,expiryTimestamp,expirytimestamp', 3, 4],
  ['walletAddress,network,,note,,NOTE', 4, 6],
];
