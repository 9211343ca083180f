/** The digests of the rows after some stories, which every database must reach. */
export const DIGESTS: Readonly<Record<number, string>> = {
  1: 'e25589673d175270',
  2: '8f4534517546c919',
  3: 'b75d6d6dd4d04b59',
  4: '44b677c5c84c1454',
  5: 'cdad3b5851269acf',
};
