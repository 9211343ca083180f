import type * as v from 'valibot';
import { describe, expect, it } from 'vitest';
import { validate } from '../../../src/http/protocol/validate.ts';
import { WebhookBody, WebhookChangeBody } from '../../../src/http/schemas/managing.ts';
import { SearchBody } from '../../../src/http/schemas/requests.ts';

const url = 'https://hooks.partner.example';

describe('an array in a body', () => {
  it.each<[v.GenericSchema, unknown]>([
    [WebhookBody, { url, types: ['pass.issued'] }],
    [WebhookChangeBody, { types: ['pass.issued', 'pass.revoked'] }],
    [WebhookChangeBody, { types: null }],
  ])('is accepted where the schema has a list: %#', (schema, body) => {
    expect(validate(schema, body)).toEqual({ output: body });
  });

  it.each<[v.GenericSchema, unknown, string]>([
    [WebhookBody, [], ''],
    [WebhookBody, { url: [] }, '/url'],
    [WebhookChangeBody, { description: [] }, '/description'],
    [SearchBody, { filter: [] }, '/filter'],
    [SearchBody, { filter: { state: [] } }, '/filter/state'],
  ])('is refused elsewhere: %#', (schema, body, pointer) => {
    expect(validate(schema, body)).toMatchObject({ errors: [{ pointer, detail: 'must not be an array' }] });
  });
});
