import { randomUUID } from 'node:crypto';
import { DatabaseSync } from 'node:sqlite';

/** The state of the account that the imitation serves. Nothing here runs a Worker: `runtime.ts` can. */

type Values = readonly (string | number | null)[];

/** Runs SQL statements in one transaction, as D1 does with a batch. Returns the rows of each. */
export type RunStatements = (statements: readonly string[], values: Values) => Promise<readonly object[][]>;

export interface Database {
  readonly uuid: string;
  readonly name: string;
  readonly created_at: string;
  readonly run: RunStatements;
}

export interface Queue {
  readonly queue_id: string;
  readonly queue_name: string;
  readonly created_on: string;
  readonly consumers: Consumer[];
}

export interface Consumer {
  readonly consumer_id: string;
  readonly script: string;
  readonly type: 'worker';
  readonly dead_letter_queue?: string | undefined;
  readonly settings: object;
}

/** An uploaded version of a Worker, as its metadata describes it. */
export interface Version {
  readonly id: string;
  readonly number: number;
  readonly created_on: string;
  readonly triggered_by: 'upload' | 'secret';
  /** Undefined for a version that a change of a secret made. */
  readonly tag: string | undefined;
  readonly message: string | undefined;
  /** Without the secrets. */
  readonly bindings: readonly Readonly<Record<string, unknown>>[];
  /** The secrets of the version. An upload keeps those of the version before. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly compatibility_date: string | undefined;
  readonly compatibility_flags: readonly string[];
  readonly migration_tag: string | undefined;
  readonly modules: readonly Module[];
}

interface Module {
  readonly path: string;
  readonly contents: string;
}

/** The versions that serve requests, with their shares. */
export interface Deployment {
  readonly id: string;
  readonly created_on: string;
  readonly source: string;
  readonly annotations: Readonly<Record<string, string>>;
  readonly versions: readonly { readonly version_id: string; readonly percentage: number }[];
}

export interface Script {
  readonly name: string;
  readonly versions: Version[];
  /** Newest first. */
  readonly deployments: Deployment[];
  schedules: readonly { readonly cron: string }[];
  readonly subdomain: { enabled: boolean; previews_enabled: boolean };
  /** The custom domains. */
  domains: readonly string[];
}

export class Account {
  readonly id = '0123456789abcdef0123456789abcdef';
  readonly subdomain = 'acme';
  readonly databases: Database[] = [];
  readonly queues: Queue[] = [];
  readonly scripts = new Map<string, Script>();
  /** Opens a new database: by default a real SQLite database in memory. */
  openDatabase: (uuid: string) => RunStatements = openMemory;

  addDatabase(name: string): Database {
    const uuid = randomUUID();
    const database = { uuid, name, created_at: now(), run: this.openDatabase(uuid) };
    this.databases.push(database);
    return database;
  }

  /** Returns the Worker, or one without a version, which the account does not have yet. */
  script(name: string): Script {
    return (
      this.scripts.get(name) ?? {
        name,
        versions: [],
        deployments: [],
        schedules: [],
        subdomain: { enabled: false, previews_enabled: false },
        domains: [],
      }
    );
  }
}

export const now = () => new Date().toISOString();

function openMemory(): RunStatements {
  const sqlite = new DatabaseSync(':memory:');
  return async (statements, values) => {
    sqlite.exec('BEGIN');
    try {
      const rows = statements.map((each) => sqlite.prepare(each).all(...values));
      sqlite.exec('COMMIT');
      return rows;
    } catch (error) {
      sqlite.exec('ROLLBACK');
      throw error;
    }
  };
}
