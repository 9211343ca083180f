/** The digests of the rows after some stories, which every database must reach. */
export const DIGESTS: Readonly<Record<number, string>> = {
  1: 'b6f83bdb8fa86c8d',
  2: 'f291623078991fd2',
  3: '8c5f1b4dcfb51a43',
  4: 'a38cbaee909840e8',
  5: '9a77547bd0489b72',
};
