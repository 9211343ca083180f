import type { ComponentChildren, JSX } from 'preact';

/** A column of a list. */
export interface Column<Row> {
  readonly head: string;
  readonly cell: (row: Row) => ComponentChildren;
  /** Whether it names the row, as a heading of the card on a narrow screen. */
  readonly isHeading?: boolean;
  /** Whether it takes the width that the others leave, and cuts longer texts. */
  readonly isCut?: boolean;
}

interface ListProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  readonly keyOf: (row: Row) => string | number;
  /** Whether each row is one line on a wide screen. */
  readonly isDense?: boolean;
}

/** A style shows a row as a card on a narrow screen. Without these roles, it would be no row for a screen reader then. */
const TABLE = { role: 'table' } as const;
const GROUP = { role: 'rowgroup' } as const;
const ROW = { role: 'row' } as const;
const HEAD = { role: 'columnheader' } as const;
const ROW_HEAD = { role: 'rowheader' } as const;
const CELL = { role: 'cell' } as const;

/** A table with a caption, and a list of cards on a narrow screen. */
export function List<Row>({ caption, columns, rows, keyOf, isDense = false }: ListProps<Row>): JSX.Element {
  return (
    <table {...TABLE} class={isDense ? 'list dense' : 'list'}>
      <caption>{caption}</caption>
      <thead {...GROUP}>
        <tr {...ROW}>
          {columns.map(({ head }) => (
            <th {...HEAD} key={head} scope="col">
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody {...GROUP}>
        {rows.map((row) => (
          <tr {...ROW} key={keyOf(row)}>
            {columns.map(({ head, cell, isHeading, isCut }) =>
              isHeading ? (
                <th {...ROW_HEAD} key={head} scope="row" data-label={head}>
                  {cell(row)}
                </th>
              ) : (
                <td {...CELL} key={head} data-label={head} class={isCut ? 'cut' : undefined}>
                  {cell(row)}
                </td>
              ),
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
