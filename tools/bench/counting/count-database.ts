import { count } from './counts.ts';

/** Returns the database with counters for each statement and for each row read and written. */
export function countDatabase(db: D1Database): D1Database {
  return {
    prepare: (query: string) => new CountedStatement(db.prepare(query), query),
    async batch(statements: CountedStatement[]) {
      count('d1.round-trips');
      const results = await db.batch(statements.map(({ statement }) => statement));
      for (const [index, result] of results.entries()) statements[index]?.countResult(result);
      return results;
    },
    withSession: (constraint?: string) => countDatabase(db.withSession(constraint) as unknown as D1Database),
    getBookmark: () => (db as unknown as D1DatabaseSession).getBookmark(),
  } as unknown as D1Database;
}

class CountedStatement {
  readonly statement: D1PreparedStatement;
  readonly #query: string;

  constructor(statement: D1PreparedStatement, query: string) {
    this.statement = statement;
    this.#query = query;
  }

  bind(...values: unknown[]): CountedStatement {
    return new CountedStatement(this.statement.bind(...values), this.#query);
  }

  async all(): Promise<D1Result> {
    count('d1.round-trips');
    return this.countResult(await this.statement.all());
  }

  run(): Promise<D1Result> {
    return this.all();
  }

  /** This call does not report the rows that it read. */
  async first(column?: string): Promise<unknown> {
    const row = (await this.all()).results[0] as Record<string, unknown> | undefined;
    return column === undefined ? (row ?? null) : (row?.[column] ?? null);
  }

  countResult(result: D1Result): D1Result {
    const { rows_read, rows_written } = result.meta;
    const head = headOf(this.#query);
    count('d1.statements');
    count(`d1.statements: ${head}`);
    count('d1.rows-read', rows_read);
    count(`d1.rows-read: ${head}`, rows_read);
    count('d1.rows-written', rows_written);
    count(`d1.rows-written: ${head}`, rows_written);
    return result;
  }
}

/** Returns a name for a statement; all statements that only read have the same name. */
export function headOf(query: string): string {
  const words = query.replaceAll(/\s+/g, ' ').trim();
  return (
    /^(SELECT|INSERT .*?INTO \w+|UPDATE (OR \w+ )?\w+ SET \w+ = [^,]*|DELETE FROM \w+|\w+)/.exec(words)?.[0] ?? words
  );
}
