import { EXAMPLE } from '../../src/http/schemas/fields.ts';

/** Examples of a webhook, for the documents. */

export const WEBHOOK = {
  id: EXAMPLE.webhookId,
  url: 'https://hooks.partner.example/gatepass',
  types: ['pass.issued', 'pass.revoked'],
  description: 'Production',
  status: 'enabled',
  createdAt: '2026-11-20T11:03:45.000Z',
  lastSuccessAt: '2026-11-20T12:15:02.412Z',
  cursor: 48_212,
  waiting: 0,
};
const { id, createdAt, lastSuccessAt: _, ...WEBHOOK_SETTINGS } = WEBHOOK;
export const NEW_WEBHOOK = { id, ...WEBHOOK_SETTINGS, createdAt };
export const DISABLED_WEBHOOK = { ...WEBHOOK, status: 'disabled', disabledReason: 'gone', waiting: 3 };
export const SECRET = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=';
