import type { DatabaseSync } from 'node:sqlite';

/** The state of the account that the imitation serves. Nothing here runs a Worker. */

export interface Database {
  readonly uuid: string;
  readonly name: string;
  readonly created_at: string;
  readonly sqlite: DatabaseSync;
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
  readonly tag: string | undefined;
  readonly message: string | undefined;
  /** Without the secrets. */
  readonly bindings: readonly Readonly<Record<string, unknown>>[];
  /** The secrets of the version. An upload keeps those of the version before. */
  readonly secrets: Readonly<Record<string, string>>;
  readonly compatibility_date: string | undefined;
  readonly migration_tag: string | undefined;
  /** The names of its modules. */
  readonly modules: readonly string[];
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
}

export class Account {
  readonly id = '0123456789abcdef0123456789abcdef';
  readonly subdomain = 'acme';
  readonly databases: Database[] = [];
  readonly queues: Queue[] = [];
  readonly scripts = new Map<string, Script>();

  /** Returns the Worker, or one without a version, which the account does not have yet. */
  script(name: string): Script {
    return (
      this.scripts.get(name) ?? {
        name,
        versions: [],
        deployments: [],
        schedules: [],
        subdomain: { enabled: false, previews_enabled: false },
      }
    );
  }
}

export const now = () => new Date().toISOString();
