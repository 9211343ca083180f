/** Returns the same tables behind a counter of the rows that statements read and write. */
export function countRows(sql: SqlStorage) {
  let read = 0;
  let written = 0;
  const exec: SqlStorage['exec'] = (query, ...bindings) => {
    const cursor = sql.exec(query, ...bindings);
    // The counts are complete only after all rows are read.
    const rows = cursor.toArray();
    read += cursor.rowsRead;
    written += cursor.rowsWritten;
    return {
      [Symbol.iterator]: () => rows[Symbol.iterator](),
      toArray: () => rows,
      one: () => rows[0],
      rowsWritten: cursor.rowsWritten,
    } as never;
  };
  return { sql: { exec } as SqlStorage, rowsRead: () => read, rowsWritten: () => written };
}
