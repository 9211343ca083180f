import type { Gatepass, Listener, Retries } from '@gatepass/client';
import type { Output } from './output.ts';
import type { Settings, SettingsSource } from './settings.ts';

/** The surroundings of a command: the streams, the settings and the client. */
export interface Session {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: Output;
  readonly stderr: Output;
  readonly env: NodeJS.ProcessEnv;
  /** Returns the options that name the settings. */
  source(): SettingsSource;
  /** Returns the variables of the settings. Throws Failure if they are incomplete. */
  variables(): Readonly<Record<string, string | undefined>>;
  /** Returns the settings. Throws Failure if they are incomplete. */
  settings(): Settings;
  /**
   * Opens the client. Throws Failure if the settings are incomplete.
   * @param on Hears of each request and retry.
   */
  connect(retries?: Retries, on?: Listener): Gatepass;
}

/** The exit codes of all commands. */
export const EXIT = {
  done: 0,
  /** Some passes failed. */
  someFailed: 1,
  /** The command could not run. */
  notRun: 2,
  /** Ctrl-C ended the command. A shell gives the same code to a program that SIGINT ends. */
  interrupted: 130,
} as const;
export type ExitCode = (typeof EXIT)[keyof typeof EXIT];
