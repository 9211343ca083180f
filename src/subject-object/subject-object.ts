import { DurableObject } from 'cloudflare:workers';
import type { Subject } from './subject.ts';

/** Asynchronous, because the first call loads the subject. */
type Call<Name extends 'issue' | 'update' | 'change' | 'read' | 'forget'> = ReturnType<Subject[Name]>;

/**
 * Orders the changes of one subject in one gatekeeper network. The class only loads the subject, which no pass without one needs, and hands every
 * call on to it: `Subject` describes the methods.
 */
export class SubjectObject extends DurableObject<Env> {
  #subject: Promise<Subject> | undefined;

  async issue(...request: Parameters<Subject['issue']>): Call<'issue'> {
    return (await this.#open()).issue(...request);
  }

  async update(...request: Parameters<Subject['update']>): Call<'update'> {
    return (await this.#open()).update(...request);
  }

  async change(...request: Parameters<Subject['change']>): Call<'change'> {
    return (await this.#open()).change(...request);
  }

  async read(): Call<'read'> {
    return (await this.#open()).read();
  }

  async forget(...deleted: Parameters<Subject['forget']>): Call<'forget'> {
    return (await this.#open()).forget(...deleted);
  }

  override async alarm(): Promise<void> {
    await (await this.#open()).fireAlarm();
  }

  #open(): Promise<Subject> {
    this.#subject ??= import('./subject.ts').then(({ Subject }) => new Subject(this.ctx, this.env));
    return this.#subject;
  }
}
