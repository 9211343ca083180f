import { createReadStream } from 'node:fs';
import { CsvError, type Info, parse } from 'csv-parse';
import { Failure } from '../failure.ts';

/** A row of a CSV file, with the number of its line. */
export interface Row {
  readonly line: number;
  readonly cells: readonly string[];
}

/**
 * Reads the rows of a file one by one. Empty lines, quotes, CRLF and a byte order mark are part of the format. Throws Failure with
 * the line if the text is not CSV, and the error of an unreadable file.
 */
export async function* readRows(file: string): AsyncGenerator<Row, void, undefined> {
  const parser = parse({ bom: true, info: true, relaxColumnCount: true, skipEmptyLines: true, trim: true });
  const stream = createReadStream(file);
  stream.on('error', (fault) => parser.destroy(fault));
  stream.pipe(parser);
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: Info }>)
      yield { line: info.lines, cells: record };
  } catch (fault) {
    if (!(fault instanceof CsvError)) throw fault;
    throw new Failure(`${file}:${fault.lines}: this is not CSV: ${reasonOf(fault)}`);
  } finally {
    stream.destroy();
  }
}

function reasonOf({ code, message }: CsvError): string {
  return code === 'CSV_QUOTE_NOT_CLOSED' ? 'a quote is not closed' : message.replace(/\s+/g, ' ');
}
