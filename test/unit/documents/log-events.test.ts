import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { LOG_EVENTS } from '../../../src/log/events.ts';
import { tableRows, textOf } from './markdown.ts';

const PROJECT = join(import.meta.dirname, '../../..');
const rows = tableRows(textOf('docs/operators/log-events.md')).filter(([event = '']) => /^`\w+\.\w+`$/.test(event));
const events = Object.entries(LOG_EVENTS);

it('docs/operators/log-events.md lists every event with its level, its meaning and what the operator does', () => {
  const listed = rows.map(([event = '', level]) => [event.replaceAll('`', ''), level]);
  expect(listed.sort()).toEqual(events.map(([event, level]) => [event, level]).sort());
  for (const [event, , meaning = '', action = ''] of rows) {
    expect([event, meaning.length > 10, action.length > 5]).toEqual([event, true, true]);
  }
});

it('every event has the form component.event in snake case', () => {
  for (const [event] of events) expect(event).toMatch(/^[a-z_]+\.[a-z_]+$/);
});

it('the service logs every event of the list', () => {
  const sources = readdirSync(join(PROJECT, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && file !== 'log/events.ts')
    .map((file) => textOf(`src/${file}`))
    .join('\n');
  // Two places make the name of the event from the kind of object and from the status of the step.
  const made = /^(?:pass\.step_|(?:pass|signer|watcher)\.unreachable)/;
  expect(
    events.map(([event]) => event).filter((event) => !made.test(event) && !sources.includes(`'${event}'`)),
  ).toEqual([]);
});
