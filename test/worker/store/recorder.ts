/** A statement that ran: its text, its parameters, and the database's counts. */
export interface Ran {
  readonly sql: string;
  readonly values: readonly unknown[];
  readonly meta: D1Meta & Record<string, unknown>;
}

/** The database with a record of every statement and of the start of its sessions. */
export function recording(db: D1Database, ran: Ran[] = []): { db: D1Database; ran: Ran[]; sessions: string[] } {
  const sessions: string[] = [];

  class Statement {
    readonly inner: D1PreparedStatement;
    readonly sql: string;
    readonly values: readonly unknown[];

    constructor(inner: D1PreparedStatement, sql: string, values: readonly unknown[] = []) {
      this.inner = inner;
      this.sql = sql;
      this.values = values;
    }

    bind(...values: unknown[]): Statement {
      return new Statement(this.inner.bind(...values), this.sql, values);
    }

    async all<T>(): Promise<D1Result<T>> {
      return this.done(await this.inner.all<T>());
    }

    async first<T>(column?: string): Promise<T | null> {
      const [row = null] = (await this.all<Record<string, T>>()).results;
      return column === undefined ? (row as T | null) : (row?.[column] ?? null);
    }

    run<T>(): Promise<D1Result<T>> {
      return this.all<T>();
    }

    done<T>(result: D1Result<T>): D1Result<T> {
      ran.push({ sql: this.sql, values: this.values, meta: result.meta });
      return result;
    }
  }

  const recorded = (asked: D1Database | D1DatabaseSession) => ({
    prepare: (sql: string) => new Statement(asked.prepare(sql), sql),
    async batch(statements: Statement[]): Promise<D1Result[]> {
      const results = await asked.batch(statements.map(({ inner }) => inner));
      return results.map((result, index) => (statements[index] as Statement).done(result));
    },
  });
  const withSession = (from: string) => {
    sessions.push(from);
    const session = db.withSession(from);
    return { ...recorded(session), getBookmark: () => session.getBookmark() };
  };
  return { db: { ...recorded(db), withSession } as unknown as D1Database, ran, sessions };
}
