import { FEED_TYPES, NOTICE_TYPES } from '../../../src/pass/vocabulary.ts';
import { wordsFor } from '../layout/words.ts';

const NOTICES: readonly string[] = NOTICE_TYPES;
const CHOICES = FEED_TYPES.filter((type) => !NOTICES.includes(type));

/** The types of events that a webhook delivers. Without a mark, it delivers all. */
export function EventTypes({ chosen = [] }: { readonly chosen?: readonly string[] | undefined }) {
  return (
    <fieldset class="choices">
      <legend>Events</legend>
      <p class="lead">Without a mark, the webhook delivers all events. Notices about lost events always arrive.</p>
      {CHOICES.map((type) => (
        <label key={type} class="check">
          <input type="checkbox" name="types" value={type} defaultChecked={chosen.includes(type)} /> {wordsFor(type)}
        </label>
      ))}
    </fieldset>
  );
}

/** Returns the marked types; null: all. */
export const typesIn = (form: FormData): string[] | null => {
  const types = form.getAll('types').map(String);
  return types.length === 0 ? null : types;
};
