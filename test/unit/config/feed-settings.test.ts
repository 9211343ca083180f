import { expect, it } from 'vitest';
import { aConfig, anEnvironment, refusalOf } from './environments.ts';

it('keeps events for 30 days and audit entries for 400, announces an expiry 7 days before, and knows no further hosts by default', () => {
  expect(aConfig()).toMatchObject({ feedDays: 30, auditDays: 400, expiryNoticeDays: 7, publicHosts: [] });
  expect(aConfig({ FEED_DAYS: '', AUDIT_DAYS: '', EXPIRY_NOTICE_DAYS: '', PUBLIC_HOSTS: ' ' })).toEqual(aConfig());
});

it.each([
  ['FEED_DAYS', '1', { feedDays: 1 }],
  ['FEED_DAYS', '999', { feedDays: 999 }],
  ['AUDIT_DAYS', '9999', { auditDays: 9_999 }],
  ['EXPIRY_NOTICE_DAYS', '0', { expiryNoticeDays: 0 }],
  ['EXPIRY_NOTICE_DAYS', '14', { expiryNoticeDays: 14 }],
  ['PUBLIC_HOSTS', 'www.Acme.com  status.acme.com', { publicHosts: ['www.acme.com', 'status.acme.com'] }],
])('reads %s "%s"', (variable, text, settings) => {
  expect(aConfig({ [variable]: text })).toMatchObject(settings);
});

it.each([
  ['FEED_DAYS', ['0', '-1', '1.5', '07', '1000', '30 days', ' 30'], 'a whole number of days from 1 to 999'],
  ['AUDIT_DAYS', ['0', '10000', 'forever'], 'a whole number of days from 1 to 9999'],
  ['EXPIRY_NOTICE_DAYS', ['-1', '0.5', '00', '1000', 'none'], 'a whole number of days from 0 to 999'],
  ['PUBLIC_HOSTS', ['https://acme.com', 'acme.com/', 'acme.com:443', 'a..b', 'user@acme.com'], 'host names'],
])('refuses an invalid %s and says what it must be: %j', (variable, texts, rule) => {
  for (const text of texts) {
    const { message } = refusalOf(anEnvironment({ [variable]: text }));
    expect(message).toContain(`${variable} must be ${rule}`);
  }
});
