import { PassGate } from '@gatepass/react';

/** The part for members. A page protects nothing: the contract behind a real exchange checks the pass again. */
export function MembersSection() {
  return (
    <section aria-labelledby="members">
      <h2 id="members">For members</h2>
      <PassGate>
        <p>Welcome. Today's pairs: AAA / BBB, CCC / DDD.</p>
      </PassGate>
    </section>
  );
}
