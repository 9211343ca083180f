import { createReadStream } from 'node:fs';
import { pipeline, Readable } from 'node:stream';
import { CsvError, type Info, parse } from 'csv-parse';
import { Failure } from '../failure.ts';
import { type CsvFormat, formatOf } from './csv-format.ts';

/** A row of a CSV file, with the number of its line. */
export interface Row {
  readonly line: number;
  readonly cells: readonly string[];
  readonly format: CsvFormat;
}

/** Without a limit, a quote that is not closed makes the rest of the file one row in memory. */
const ROW_MAX_BYTES = 1_048_576;
/** Enough bytes for the header, from which the format shows. */
const START_BYTES = 65_536;

/**
 * Reads the rows of a file one by one, also empty ones. Quotes, all line ends and a byte order mark are part of the format. Throws
 * Failure with the line if the text is not CSV, and the error of an unreadable file.
 * @param fixed The format of a file that this command has written. Default: the one that the start of the file shows.
 */
export async function* readRows(file: string, fixed?: CsvFormat): AsyncGenerator<Row, void, undefined> {
  const stream = createReadStream(file);
  const chunks: AsyncIterator<Buffer> = stream[Symbol.asyncIterator]();
  const start = await readStart(chunks);
  const format = fixed ?? formatOf(start);
  const options = { info: true, relaxColumnCount: true, trim: true, maxRecordSize: ROW_MAX_BYTES };
  const parser = parse({ delimiter: format.separator, ...options });
  // The parser passes on a fault of the file.
  pipeline(Readable.from(decode(start, chunks, format)), parser, () => stream.destroy());
  try {
    for await (const { record, info } of parser as AsyncIterable<{ record: string[]; info: Info }>)
      if (info.lines > 1 || !format.isNamed) yield { line: info.lines, cells: record, format };
  } catch (fault) {
    if (!(fault instanceof CsvError)) throw fault;
    throw new Failure(`${file}:${fault.lines}: this is not CSV: ${reasonOf(fault)}`);
  } finally {
    stream.destroy();
  }
}

/** Reads the first chunks. A pipe may have short ones. */
async function readStart(chunks: AsyncIterator<Buffer>): Promise<Buffer> {
  let start: Buffer = Buffer.alloc(0);
  while (start.length < START_BYTES) {
    const { value, done } = await chunks.next();
    if (done) break;
    start = Buffer.concat([start, value]);
  }
  return start;
}

async function* decode(start: Buffer, chunks: AsyncIterator<Buffer>, { encoding }: CsvFormat): AsyncGenerator<string> {
  const decoder = new TextDecoder(encoding);
  yield decoder.decode(start, { stream: true });
  for (let next = await chunks.next(); !next.done; next = await chunks.next())
    yield decoder.decode(next.value, { stream: true });
  yield decoder.decode();
}

function reasonOf({ code, message }: CsvError): string {
  if (code === 'CSV_MAX_RECORD_SIZE') return 'a row has more than 1 MiB. Is a quote not closed?';
  return code === 'CSV_QUOTE_NOT_CLOSED' ? 'a quote is not closed' : message.replace(/\s+/g, ' ');
}
