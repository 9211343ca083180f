import { MINUTE_MS } from '../lib/time.ts';
import { log, logFault } from '../log/log.ts';
import { errorKindOf, MALFORMED_CODE } from './error-kind.ts';
import type { RpcCall } from './json-rpc-batch.ts';
import type { Pairs } from './pairs.ts';
import { isUnanswered, type RpcAnswer } from './rpc-answer.ts';

/** The form of a network's results. */
export interface ResultForm {
  /** Name of the network, for the log. */
  readonly network?: string;
  /** Returns the result of a call in its usual form. Throws MalformedResult if its meaning is not certain. */
  readonly normalize?: (call: RpcCall, result: unknown) => unknown;
}

/** The result of a call lacks a field, or the value of the field cannot be read. */
export class MalformedResult extends Error {
  override readonly name = 'MalformedResult';
  readonly field: string;

  /** @param field The name of the field, after the names of the ones around it. */
  constructor(field: string) {
    super(`the field "${field}" cannot be read`);
    this.field = field;
  }
}

/** The place of an endpoint in the configuration. Its URL may contain a key, so no log line contains any part of the URL. */
interface EndpointPlace {
  readonly endpoint: number;
  readonly endpoints: number;
}

/** How long a repeated line about the same method is left out of the log. */
const REPEAT_MS = 10 * MINUTE_MS;

/** Reads the answers of one endpoint, and logs the ones that are missing or cannot be read. */
export class ReadAnswers {
  readonly #form: ResultForm;
  readonly #place: EndpointPlace;
  readonly #loggedUntil = new Map<string, number>();

  constructor(form: ResultForm, place: EndpointPlace) {
    this.#form = form;
    this.#place = place;
  }

  /** Returns the answers in their usual form. A result that cannot be read becomes an error, so that another endpoint is asked. */
  read(answered: Pairs<RpcCall, RpcAnswer>): RpcAnswer[] {
    return answered.map(([call, answer]) => this.#readOne(call, answer));
  }

  #readOne(call: RpcCall, answer: RpcAnswer): RpcAnswer {
    const fields = { network: this.#form.network, ...this.#place, method: call.method };
    if ('error' in answer) {
      const { code, message } = answer.error;
      if (isUnanswered(answer) && this.#isNew(`${call.method} ${errorKindOf(answer.error)}`))
        log('endpoint.call_refused', { ...fields, code, error: message });
      return answer;
    }
    try {
      const { normalize } = this.#form;
      return normalize === undefined ? answer : { result: normalize(call, answer.result) };
    } catch (fault) {
      if (!(fault instanceof MalformedResult)) throw fault;
      const { message, field } = fault;
      if (this.#isNew(`${call.method} ${field}`)) logFault('endpoint.unreadable', fault, { ...fields, field });
      return { error: { code: MALFORMED_CODE, message } };
    }
  }

  #isNew(line: string): boolean {
    const now = Date.now();
    if ((this.#loggedUntil.get(line) ?? 0) > now) return false;
    this.#loggedUntil.set(line, now + REPEAT_MS);
    return true;
  }
}
